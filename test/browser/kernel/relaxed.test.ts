import { describe, expect, it } from 'vitest';
import { createKernel } from '../../../src/kernel/create.ts';
import { createMemory, openMachine } from '../../../src/kernel/machine.ts';
import { chooseBuild, tryBuild, type Variant } from '../../../src/kernel/self-test.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { fuzz } from '../../unit/kernel/fuzz.ts';
import { kernelLaws } from '../../unit/kernel/laws.ts';

const make =
  (format: 'f32' | 'int8', variant: Variant, flavour: 'base' | 'relaxed') => async (dimensions: number) => {
    const machine = await openMachine(flavour, createMemory(false));
    if (!machine) throw new Error(`This browser does not run the ${flavour} build.`);
    return new WasmKernel(machine, dimensions, { format, variant, sixBitsFrom: 0 });
  };

kernelLaws('relaxed build, vectors', make('f32', 'sevenBits', 'relaxed'), 15);
kernelLaws('relaxed build, int8 codes, 7-bit queries', make('int8', 'sevenBits', 'relaxed'), 25);
kernelLaws('relaxed build, int8 codes, 6-bit queries', make('int8', 'sixBits', 'relaxed'), 25);
kernelLaws('relaxed build, int8 codes, 14-bit queries', make('int8', 'int16', 'relaxed'), 10);
kernelLaws('base build in the browser', make('int8', 'int16', 'base'), 10);

it('agrees with a model in memory through random lives of an index', async () => {
  const variants = ['sevenBits', 'sixBits'] as const;
  const differences: string[] = [];
  for (let seed = 1; seed <= 120; seed++) {
    const variant = variants[seed % 2];
    const difference = await fuzz(make('int8', variant, 'relaxed'), seed);
    if (difference) differences.push(`${variant}: ${difference}`);
  }
  expect(differences).toEqual([]);
});

describe('choice of a build', () => {
  it('takes the relaxed build where its numbers are right', async () => {
    expect((await tryBuild('relaxed'))?.flavour).toBe('relaxed');
    expect((await tryBuild('base'))?.flavour).toBe('base');
    expect((await chooseBuild())?.flavour).toBe('relaxed');
    expect(await createKernel(384)).toBeInstanceOf(WasmKernel);
  });
});

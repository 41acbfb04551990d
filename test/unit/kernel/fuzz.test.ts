import { expect, it } from 'vitest';
import { createMemory, openMachine } from '../../../src/kernel/machine.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { fuzz } from './fuzz.ts';

/**
 * `VITE_KERNEL_FUZZ=10000 npx vitest run --project node test/unit/kernel/fuzz.test.ts` runs the full number (a few minutes);
 * `VITE_KERNEL_FUZZ_SEED=7` begins with that seed, so with VITE_KERNEL_FUZZ=1 it repeats one life.
 */
const environment = import.meta.env as Record<string, string | undefined>;
const lives = Number(environment.VITE_KERNEL_FUZZ ?? 500);
const firstSeed = Number(environment.VITE_KERNEL_FUZZ_SEED ?? 1);

it(`agrees with a model in memory through ${lives} random lives of an index, from seed ${firstSeed} on`, async () => {
  console.log(`kernel fuzz: seeds ${firstSeed} to ${firstSeed + lives - 1}`);
  const differences: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + lives; seed++) {
    const format = seed % 2 === 0 ? 'int8' : 'f32';
    const difference = await fuzz(async (dimensions) => {
      const machine = await openMachine('base', createMemory(false));
      if (!machine) throw new Error('WebAssembly SIMD is missing.');
      return new WasmKernel(machine, dimensions, { format, variant: 'int16' });
    }, seed);
    if (difference) differences.push(difference);
  }
  expect(differences).toEqual([]);
}, 3_600_000);

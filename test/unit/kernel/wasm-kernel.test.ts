import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { createKernel } from '../../../src/kernel/create.ts';
import { createMemory, openMachine } from '../../../src/kernel/machine.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import { tryBuild } from '../../../src/kernel/self-test.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { answers, firstDifference, vectorsOf, type Case } from './cases.ts';
import { kernelLaws } from './laws.ts';

const make =
  (format: 'f32' | 'int8', base?: number) =>
  async (dimensions: number): Promise<WasmKernel> => {
    const machine = await openMachine('base', createMemory(false));
    if (!machine) throw new Error('WebAssembly SIMD is missing.');
    return new WasmKernel(machine, dimensions, { format, variant: 'int16', base });
  };

kernelLaws('base build, vectors', make('f32'), 30);
kernelLaws('base build, int8 codes', make('int8'), 40);

describe('base build', () => {
  it('passes its self-test', async () => {
    expect(await tryBuild('base')).toEqual({ flavour: 'base', variant: 'int16' });
  });

  it('is what createKernel gives, unless the reference is asked for', async () => {
    expect(await createKernel(4)).toBeInstanceOf(WasmKernel);
    expect(await createKernel(4, { backend: 'reference' })).not.toBeInstanceOf(WasmKernel);
  });

  it('keeps rows on both sides of 2 GiB', async () => {
    const test: Case = {
      seed: 11,
      dimensions: 100,
      rows: 3000,
      queries: 3,
      k: 30,
      kind: 'normalised',
      queryKind: 'normalised',
      removed: 0.1,
      filtered: true,
    };
    const kernel = await make('int8', 2 ** 31 - 900_000)(100);
    const expected = answers(createReferenceKernel(100), test);
    expect(firstDifference(answers(kernel, test), expected)).toBeUndefined();
  });

  it('takes no memory for a search once it has made one like it', async () => {
    const kernel = await make('int8')(96);
    const random = createRandom('steady');
    kernel.add(vectorsOf('normalised', 5000, 96, random));
    const admissible = new Uint32Array(157).fill(0x55555555);
    const search = () => {
      const queries = vectorsOf('normalised', 40, 96, random);
      kernel.topK(queries, 30, admissible);
      kernel.topK(queries.subarray(0, 96), 30);
      kernel.rankCounts(queries, new Uint32Array(40));
      kernel.maximum(queries, Uint32Array.of(1, 2, 3));
    };
    search();
    const before = kernel.bytes;
    for (let i = 0; i < 20; i++) search();
    expect(kernel.bytes).toBe(before);
  });

  it('appends without moving what is there', async () => {
    const kernel = await make('int8')(64);
    const random = createRandom('append');
    kernel.add(vectorsOf('normalised', 1024, 64, random));
    const before = kernel.bytes;
    kernel.add(vectorsOf('normalised', 1024, 64, random));
    // One more segment: vectors, codes, scales, sums, documents and lists; not a copy of the first.
    expect(kernel.bytes - before).toBeLessThan(1024 * (64 * 5 + 4 * 4) + 4096);
  });
});

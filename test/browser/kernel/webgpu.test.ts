import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { createBatchSearch } from '../../../src/kernel/batch-search.ts';
import { openGpuDevice, type GpuDevice } from '../../../src/kernel/browser/gpu-device.ts';
import { createMemory, openMachine } from '../../../src/kernel/machine.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { VectorKernel } from '../../../src/kernel/types.ts';
import { WasmKernel } from '../../../src/kernel/wasm-kernel.ts';
import { GpuSearch } from '../../../src/kernel/webgpu/gpu-search.ts';
import { vectorsOf, type Kind } from '../../unit/kernel/cases.ts';

const dimensions = 48;
const rows = 2600;

/** One device for all: on a software adapter compiling a shader takes seconds. The last test loses it. */
let gpu: GpuDevice | undefined;
beforeAll(async () => {
  gpu = await openGpuDevice().catch(() => undefined);
}, 60_000);
afterAll(() => gpu?.device.destroy());

/** A kernel and the reference with the same rows, some removed. */
async function filled(kind: Kind): Promise<{ kernel: WasmKernel; reference: VectorKernel }> {
  const machine = await openMachine('base', createMemory(false));
  if (!machine) throw new Error('WebAssembly SIMD is missing.');
  const kernel = new WasmKernel(machine, dimensions, { format: 'int8', variant: 'int16' });
  const reference = createReferenceKernel(dimensions);
  const vectors = vectorsOf(kind, rows, dimensions, createRandom('gpu'));
  for (const each of [kernel, reference]) {
    each.add(vectors);
    each.remove([0, 7, 1500, 2599]);
  }
  return { kernel, reference };
}

const queriesOf = (count: number) => vectorsOf('normalised', count, dimensions, createRandom('gpu queries'));

describe('batch search', () => {
  it('stays with the kernel for a few rows, in blocks that can be stopped', async () => {
    const { kernel, reference } = await filled('normalised');
    const search = await createBatchSearch(kernel);
    expect(search.device).toBe('kernel');
    const queries = queriesOf(40);
    expect(await search.topK(queries, 10)).toEqual(reference.topK(queries, 10));
    const stopped = new AbortController();
    const answer = search.topK(queries, 10, undefined, stopped.signal);
    stopped.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('WebGPU', () => {
  it.for(['f32', 'int8'] as const)(
    'answers as the reference does, from several buffers: %s',
    async (format, ctx) => {
      if (!gpu) return ctx.skip('this browser has no WebGPU adapter');
      const { kernel, reference } = await filled('normalised');
      const { device, hasPackedDot } = gpu;
      const search = await GpuSearch.create(device, kernel, { format, hasPackedDot, chunkSegments: 1 });
      const queries = queriesOf(33);
      const admissible = new Uint32Array(80).fill(0xff00ffff);
      expect(await search.topK(queries, 10)).toEqual(reference.topK(queries, 10));
      // The device did the work: what its rounding leaves open is the exception.
      expect(search.fallbacks).toBeLessThan(4);
      const more = vectorsOf('normalised', 700, dimensions, createRandom('more'));
      for (const each of [kernel, reference]) each.add(more);
      const few = queries.subarray(0, 3 * dimensions);
      expect(await search.topK(few, 10, admissible)).toEqual(reference.topK(few, 10, admissible));
      expect(search.isAlive).toBe(true);
      search.dispose();
    },
  );

  it('answers where all rows tie, and where k is beyond it, with the help of the kernel', async (ctx) => {
    if (!gpu) return ctx.skip('this browser has no WebGPU adapter');
    const { kernel, reference } = await filled('equal');
    const search = await GpuSearch.create(gpu.device, kernel, { format: 'f32' });
    const queries = queriesOf(2);
    expect(await search.topK(queries, 10)).toEqual(reference.topK(queries, 10));
    expect(await search.topK(queries, 900)).toEqual(reference.topK(queries, 900));
    expect(search.fallbacks).toBe(4);
    search.dispose();
  });

  it('gives the same answer when the device is lost in the middle of a call', async (ctx) => {
    if (!gpu) return ctx.skip('this browser has no WebGPU adapter');
    const { kernel, reference } = await filled('normalised');
    const search = await GpuSearch.create(gpu.device, kernel, { format: 'f32' });
    const queries = queriesOf(140);
    const answer = search.topK(queries, 10);
    gpu.device.destroy();
    expect(await answer).toEqual(reference.topK(queries, 10));
    expect(search.isAlive).toBe(false);
    expect(search.fallbacks).toBe(140);
    const few = queries.subarray(0, 3 * dimensions);
    expect(await search.topK(few, 3)).toEqual(reference.topK(few, 3));
  });
});

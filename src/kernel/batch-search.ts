import { countVectors } from './arguments.ts';
import { openGpuDevice } from './browser/gpu-device.ts';
import { emptyTopK } from './results.ts';
import type { TopK, VectorKernel } from './types.ts';
import { WasmKernel } from './wasm-kernel.ts';
import { GpuSearch } from './webgpu/gpu-search.ts';

export interface BatchSearchOptions {
  /**
   * `auto` (default): graphics hardware if it wins a race on the rows that are there. `never`: the kernel alone. `always`: without a
   * race, for tests; rejects where there is no device.
   */
  readonly gpu?: 'auto' | 'never' | 'always';
  /** What a graphics device would hold. Default: codes where the kernel has them. */
  readonly gpuFormat?: 'f32' | 'int8';
}

/** Large batches of queries, without blocking the thread for long, on whatever is fastest; the kernel's answers, bit for bit. */
export interface BatchSearch {
  readonly device: 'kernel' | 'gpu';
  /** As VectorKernel.topK; rejects with the signal's reason between two blocks of queries. */
  topK(queries: Float32Array, k: number, admissible?: Uint32Array, signal?: AbortSignal): Promise<TopK>;
  dispose(): void;
}

/** Queries that are searched between two chances for others to run: some milliseconds on 10,000 rows. */
const together = 16;

/** A race is only worth its shader compilation where a batch takes long: this many rows times queries. */
const worthRacing = 2 ** 22;

/** Queries of the race. */
const racing = 128;

/** Call it when the rows are in place: the race is run on them. Rows may still come and go afterwards. */
export async function createBatchSearch(
  kernel: VectorKernel,
  options: BatchSearchOptions = {},
): Promise<BatchSearch> {
  const { gpu = 'auto', gpuFormat = 'int8' } = options;
  const alone = new KernelBatch(kernel);
  if (gpu === 'never' || !(kernel instanceof WasmKernel)) return alone;
  if (gpu === 'always') return openGpu(kernel, gpuFormat);
  if (kernel.length * racing < worthRacing) return alone;
  try {
    const rival = await openGpu(kernel, gpuFormat);
    if (await wins(rival, alone, kernel)) return rival;
    rival.dispose();
  } catch {
    // No adapter, a shader that does not compile, too little memory: the kernel does it alone.
  }
  return alone;
}

async function openGpu(kernel: WasmKernel, format: 'f32' | 'int8'): Promise<GpuBatch> {
  const { device, hasPackedDot } = await openGpuDevice();
  const coded = kernel.engine.store.format === 'int8';
  const search = await GpuSearch.create(device, kernel, { format: coded ? format : 'f32', hasPackedDot });
  return new GpuBatch(search, device);
}

/** Whether the device answers the same batch in less time, the second time it is asked (the first time it copies the rows). */
async function wins(rival: BatchSearch, alone: BatchSearch, kernel: WasmKernel): Promise<boolean> {
  const queries = kernel.someVectors(racing);
  const time = async (search: BatchSearch) => {
    const start = performance.now();
    await search.topK(queries, 30);
    return performance.now() - start;
  };
  await time(rival);
  return (await time(rival)) < (await time(alone));
}

class KernelBatch implements BatchSearch {
  readonly device = 'kernel';

  constructor(private readonly kernel: VectorKernel) {}

  async topK(
    queries: Float32Array,
    k: number,
    admissible?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<TopK> {
    const { dimensions } = this.kernel;
    const count = countVectors(queries, dimensions, 'Queries');
    const result = emptyTopK(count, k);
    for (let first = 0; first < count; first += together) {
      signal?.throwIfAborted();
      const some = queries.subarray(first * dimensions, (first + together) * dimensions);
      const found = this.kernel.topK(some, k, admissible);
      result.counts.set(found.counts, first);
      result.rows.set(found.rows, first * k);
      result.scores.set(found.scores, first * k);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return result;
  }

  dispose(): void {
    // The kernel is the caller's.
  }
}

class GpuBatch implements BatchSearch {
  readonly device = 'gpu';

  constructor(
    private readonly search: GpuSearch,
    private readonly hardware: GPUDevice,
  ) {}

  topK(queries: Float32Array, k: number, admissible?: Uint32Array, signal?: AbortSignal): Promise<TopK> {
    return this.search.topK(queries, k, admissible, signal);
  }

  dispose(): void {
    this.search.dispose();
    this.hardware.destroy();
  }
}

import { checkK, checkVectors } from '../arguments.ts';
import { jobWords } from '../layout.ts';
import { emptyTopK, writeHits } from '../results.ts';
import { BestK } from '../select.ts';
import type { TopK } from '../types.ts';
import type { WasmKernel } from '../wasm-kernel.ts';
import { GpuPipeline, type GpuCandidates, type GpuQueries } from './gpu-pipeline.ts';
import { GpuRows } from './gpu-rows.ts';
import { tileSize, type GpuFormat } from './shaders.ts';

export interface GpuSearchOptions {
  /** What the device holds: vectors, or codes of a quarter of their size. Needs a kernel of the format `int8` for codes. */
  readonly format: GpuFormat;
  /** The WGSL extension packed_4x8_integer_dot_product. */
  readonly hasPackedDot?: boolean;
  /** Segments of 1,024 rows in one buffer at most: for tests of many buffers. */
  readonly chunkSegments?: number;
}

/** Queries of one run on the device. */
const blockQueries = 128;
/** Most candidates that the device selects for a query; a larger k is searched on the processor. */
const mostCandidates = 512;

/**
 * A batch search on graphics hardware beside a kernel that holds the same rows. The device finds candidates; their scores come from
 * the kernel, and where the device's rounding could have hidden a better row, or the device is lost, the kernel searches
 * itself: the answer is that of the kernel, bit for bit, in every case.
 */
export class GpuSearch {
  private lost = false;
  private readonly rows: GpuRows;
  /** Queries that the kernel had to search itself. */
  fallbacks = 0;

  private constructor(
    device: GPUDevice,
    private readonly kernel: WasmKernel,
    private readonly pipeline: GpuPipeline,
    private readonly options: GpuSearchOptions,
  ) {
    this.rows = new GpuRows(device, kernel.engine, options.format, options.chunkSegments);
    void device.lost.then(() => (this.lost = true));
  }

  /** Compiles the shaders; rejects where the device cannot. */
  static async create(device: GPUDevice, kernel: WasmKernel, options: GpuSearchOptions): Promise<GpuSearch> {
    const pipeline = await GpuPipeline.create(device, options.format, options.hasPackedDot ?? false);
    return new GpuSearch(device, kernel, pipeline, options);
  }

  /** False once the device is gone. */
  get isAlive(): boolean {
    return !this.lost;
  }

  /** As VectorKernel.topK. */
  async topK(
    queries: Float32Array,
    k: number,
    admissible?: Uint32Array,
    signal?: AbortSignal,
  ): Promise<TopK> {
    const { dimensions } = this.kernel;
    const count = checkVectors(queries, dimensions, 'Queries');
    checkK(k, count);
    const take = Math.min(mostCandidates, Math.max(32, this.options.format === 'f32' ? 2 * k : 4 * k));
    const result = emptyTopK(count, k);
    for (let first = 0; first < count; first += blockQueries) {
      signal?.throwIfAborted();
      const block = queries.subarray(first * dimensions, Math.min(count, first + blockQueries) * dimensions);
      const found = take > k && !this.lost ? await this.candidates(block, take, admissible) : undefined;
      for (let q = 0; q < block.length / dimensions; q++) {
        const query = block.subarray(q * dimensions, (q + 1) * dimensions);
        const sure = found !== undefined && this.rescore(query, q, first + q, found, result);
        if (!sure) this.searchAlone(query, first + q, admissible, result);
      }
    }
    return result;
  }

  /** Frees the device's copy of the rows; the device is the caller's. */
  dispose(): void {
    this.rows.dispose();
  }

  /** Undefined where the device fails. */
  private async candidates(
    queries: Float32Array,
    take: number,
    admissible: Uint32Array | undefined,
  ): Promise<GpuCandidates | undefined> {
    try {
      this.rows.follow();
      const { padded } = this.kernel.engine.store;
      const columns = this.options.format === 'f32' ? padded / 4 : padded / 16;
      return await this.pipeline.run(
        this.rows,
        columns,
        this.encode(queries),
        take,
        this.rows.admissible(admissible),
      );
    } catch {
      // Lost, or out of memory: whatever it was, the kernel has all it takes to answer.
      this.lost = true;
      return undefined;
    }
  }

  /** Canonical scores of a query's candidates; false where a row that was left out could be among the best. */
  private rescore(
    query: Float32Array,
    place: number,
    target: number,
    { take, entries }: GpuCandidates,
    result: ReturnType<typeof emptyTopK>,
  ): boolean {
    const listed: number[] = [];
    let least = Infinity;
    for (let i = place * take; i < (place + 1) * take; i++) {
      if (entries[2 * i + 1] === 0xffffffff) break;
      listed.push(entries[2 * i + 1]);
      bits[0] = entries[2 * i];
      least = score[0];
    }
    const rows = Uint32Array.from(listed);
    const scores = this.kernel.pairs(query, rows);
    const best = new BestK(result.k);
    rows.forEach((row, i) => best.offer(row, scores[i]));
    const bar = writeHits(result, result.rows, target, best);
    return rows.length < take || bar > least + this.doubt(query);
  }

  private searchAlone(
    query: Float32Array,
    target: number,
    admissible: Uint32Array | undefined,
    result: ReturnType<typeof emptyTopK>,
  ): void {
    this.fallbacks++;
    const { k } = result;
    const found = this.kernel.topK(query, k, admissible);
    result.counts[target] = found.counts[0];
    result.rows.set(found.rows, target * k);
    result.scores.set(found.scores, target * k);
  }

  private encode(queries: Float32Array): GpuQueries {
    const { dimensions } = this.kernel;
    const { padded } = this.kernel.engine.store;
    const count = queries.length / dimensions;
    const room = Math.ceil(count / tileSize) * tileSize;
    const steps = new Float32Array(room);
    const isF32 = this.options.format === 'f32';
    const data = new Uint8Array(room * padded * (isF32 ? 4 : 1));
    const vectors = isF32 ? new Float32Array(data.buffer) : new Float32Array(0);
    const codes = new Int8Array(data.buffer);
    for (let q = 0; q < count; q++) {
      const query = queries.subarray(q * dimensions, (q + 1) * dimensions);
      if (isF32) vectors.set(query, q * padded);
      else steps[q] = encodeQuery(query, codes.subarray(q * padded, (q + 1) * padded));
    }
    return { count, data, steps };
  }

  /**
   * How far the device's score may be from the canonical one, for any row. WGSL rounds products and sums to float32 but may
   * fuse, reorder and flush what is below 1.2e-38; codes lose what assembly/codes.ts bounds.
   */
  private doubt(query: Float32Array): number {
    const { f32 } = this.kernel.engine.arena;
    const job = this.kernel.engine.job >>> 2;
    const { padded } = this.kernel.engine.store;
    const row = f32[job + jobWords.norm];
    const norm = Math.sqrt(query.reduce((sum, x) => sum + x * x, 0));
    const rounding = (padded + 64) * 2 ** -23 * norm * row + padded * 2 ** -124 * (1 + norm + row);
    if (this.options.format === 'f32') return rounding;
    const loss = f32[job + jobWords.loss] * f32[job + jobWords.step];
    const lost = lossOfQuery(query);
    return 1.00001 * (lost * (row + loss) + (norm + lost) * loss + rounding) + norm * 1e-28 + 1e-30;
  }
}

const bits = new Uint32Array(1);
const score = new Float32Array(bits.buffer);

/** 8-bit codes of a query; returns the value of one step. */
function encodeQuery(query: Float32Array, codes: Int8Array): number {
  const top = query.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  if (top < 1e-30) return 0;
  const step = Math.fround(top / 127);
  query.forEach((x, i) => (codes[i] = Math.round(x / step)));
  return step;
}

/** The norm of what those codes lose. */
function lossOfQuery(query: Float32Array): number {
  const codes = new Int8Array(query.length);
  const step = encodeQuery(query, codes);
  return Math.sqrt(query.reduce((sum, x, i) => sum + (x - step * codes[i]) ** 2, 0));
}

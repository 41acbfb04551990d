import { jobWords, segmentRows, segmentWords } from '../layout.ts';
import type { ScanEngine } from '../scan-engine.ts';
import type { GpuFormat } from './shaders.ts';

/** Consecutive segments in one buffer, small enough to be bound whole. */
export interface GpuChunk {
  readonly firstRow: number;
  readonly rows: number;
  readonly vectors: GPUBuffer;
  /** float32 per row: the step of its codes. */
  readonly steps: GPUBuffer;
}

/** A copy of a kernel's rows on the device, in chunks that respect its limits; it follows what is added. */
export class GpuRows {
  readonly chunks: GpuChunk[] = [];
  private readonly chunkSegments: number;
  private readonly rowBytes: number;
  private copied = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly engine: ScanEngine,
    private readonly format: GpuFormat,
    /** Segments of one chunk at most; default: as many as the device lets one binding see. */
    mostSegments = Infinity,
  ) {
    const { padded } = engine.store;
    this.rowBytes = format === 'f32' ? padded * 4 : padded;
    const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
    const fitting = Math.floor(
      Math.min(maxStorageBufferBindingSize, maxBufferSize) / (segmentRows * this.rowBytes),
    );
    this.chunkSegments = Math.max(1, Math.min(fitting, mostSegments, 64));
  }

  /** Copies rows that were added since the last time. */
  follow(): void {
    const { store } = this.engine;
    while (this.copied < store.length) {
      const segment = Math.floor(this.copied / segmentRows);
      const from = this.copied % segmentRows;
      const count = Math.min(segmentRows - from, store.length - this.copied);
      const index = Math.floor(segment / this.chunkSegments);
      if (index === this.chunks.length) this.chunks.push(this.newChunk(index));
      const { vectors, steps, firstRow } = this.chunks[index];
      const place = segment * segmentRows + from - firstRow;
      const source = this.format === 'f32' ? 'vectors' : 'codes';
      this.copy(
        vectors,
        place * this.rowBytes,
        this.address(segment, source) + from * this.rowBytes,
        count * this.rowBytes,
      );
      this.copy(steps, place * 4, this.address(segment, 'scales') + from * 4, count * 4);
      this.copied += count;
    }
  }

  /** Bit per row, rounded up to whole segments: set = added, not removed, admissible. */
  admissible(given: Uint32Array | undefined): Uint32Array<ArrayBuffer> {
    const { store, arena } = this.engine;
    const words = segmentRows / 32;
    const mask = new Uint32Array(Math.max(1, store.segments) * words);
    for (let segment = 0; segment < store.segments; segment++) {
      const alive = this.address(segment, 'alive') >>> 2;
      mask.set(arena.u32.subarray(alive, alive + words), segment * words);
    }
    if (given) for (let i = 0; i < mask.length; i++) mask[i] &= i < given.length ? given[i] : 0;
    return mask;
  }

  dispose(): void {
    for (const { vectors, steps } of this.chunks) {
      vectors.destroy();
      steps.destroy();
    }
    this.chunks.length = 0;
  }

  private newChunk(index: number): GpuChunk {
    const rows = this.chunkSegments * segmentRows;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    return {
      firstRow: index * rows,
      rows,
      vectors: this.device.createBuffer({ size: rows * this.rowBytes, usage }),
      steps: this.device.createBuffer({ size: rows * 4, usage }),
    };
  }

  private copy(target: GPUBuffer, offset: number, address: number, bytes: number): void {
    // A slice, not a view: not every browser takes shared memory here.
    const data = new Uint8Array(this.engine.machine.memory.buffer, address, bytes).slice();
    this.device.queue.writeBuffer(target, offset, data);
  }

  private address(segment: number, field: 'vectors' | 'codes' | 'scales' | 'alive'): number {
    const { u32 } = this.engine.arena;
    const table = u32[(this.engine.job >>> 2) + jobWords.segments] >>> 2;
    return u32[table + segment * segmentWords.size + segmentWords[field]];
  }
}

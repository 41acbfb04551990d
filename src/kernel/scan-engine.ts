import { Arena, Region } from './arena.ts';
import { Lanes, type Crew } from './lanes.ts';
import { jobWords, purposes, variants } from './layout.ts';
import type { Machine } from './machine.ts';
import { blockQueries, fewQueries, QueryBlock } from './query-block.ts';
import { RowStore, type RowFormat } from './row-store.ts';
import type { Variant } from './self-test.ts';

export interface EngineOptions {
  readonly format: RowFormat;
  /** How int8 batches are scored; the fastest differs from machine to machine. The base build has only `int16`. */
  readonly variant: Variant;
  /** A batch over fewer rows than this is scored by `int16` where the machine prefers `sixBits`. Default 16,384. */
  readonly sixBitsFrom?: number;
  /** Address of the first byte to use: for tests of large addresses. */
  readonly base?: number;
  /** Workers over the same, shared memory; called once, when there are rows enough to share out. */
  readonly callCrew?: (control: number) => Promise<Crew | undefined>;
  /** Rows from which workers help. Default 65,536. */
  readonly crewFrom?: number;
  /** Milliseconds after which a worker that has not come back is given up. Default 10,000. */
  readonly patience?: number;
}

/** From so many on, 6-bit queries beat 14-bit ones on machines without a fused dot product. */
const manyRows = 16_384;

/** Segments that one call into WebAssembly scans: long loops must end for an optimised build of them to be taken up. */
const segmentsPerCall = { one: 8, batch: 1 };

/** Documents' parts of one block of queries may take this many bytes. */
const partsBudget = 2 ** 24;

/** Rows, a block of queries, and passes of the one over the other: what the kernels over WebAssembly are made of. */
export class ScanEngine {
  readonly arena: Arena;
  readonly store: RowStore;
  readonly block: QueryBlock;
  readonly job: number;
  private readonly bitmap: Region;
  private readonly lanes: Lanes;
  private parts = 0;
  private partsCapacity = 0;
  private crewCalled = false;
  private disposed = false;

  constructor(
    readonly machine: Machine,
    dimensions: number,
    /** Whether vectors stay in memory beside their codes, so that scores are exact. */
    resident: boolean,
    private readonly options: EngineOptions,
  ) {
    this.arena = new Arena(machine.memory, options.base);
    const { arena } = this;
    const { format } = options;
    this.job = arena.allocate(jobWords.size * 4);
    this.store = new RowStore(arena, machine.exports, dimensions, format, resident, this.job);
    const { padded } = this.store;
    this.block = new QueryBlock(arena, machine.exports, dimensions, padded, this.job, format === 'int4');
    this.bitmap = new Region(arena);
    this.lanes = new Lanes(arena, machine.exports, this.job, 384 + 32 * padded, options.patience);
    const { u32 } = arena;
    const at = this.job >>> 2;
    u32[at + jobWords.tileRows] = format === 'f32' ? (padded <= 512 ? 16 : 8) : padded <= 768 ? 32 : 16;
    u32[at + jobWords.scratch] = arena.allocate(384 + 32 * padded);
  }

  /** Calls the workers when there is enough for them; what is searched meanwhile is searched alone. */
  grown(): void {
    const { callCrew, crewFrom = 65_536 } = this.options;
    if (!callCrew || this.crewCalled || this.store.length < crewFrom) return;
    this.crewCalled = true;
    void callCrew(this.lanes.control).then((crew) => {
      if (this.disposed) crew?.dismiss();
      else this.lanes.join(crew);
    });
  }

  /** Workers that help now. */
  get helpers(): number {
    return this.lanes.count;
  }

  dispose(): void {
    this.disposed = true;
    this.store.clear();
    this.lanes.dismiss();
  }

  admit(admissible: Uint32Array | undefined): void {
    const words = admissible ? Math.min(admissible.length, Math.ceil(this.store.length / 32)) : 0;
    const start = this.bitmap.at(Math.max(4, words * 4));
    const { u32 } = this.arena;
    const at = this.job >>> 2;
    if (admissible) u32.set(admissible.subarray(0, words), start >>> 2);
    u32[at + jobWords.admissible] = admissible ? start : 0;
    u32[at + jobWords.admissibleWords] = words;
  }

  setBlend(blend: number): void {
    this.arena.f32[(this.job >>> 2) + jobWords.blend] = blend;
  }

  /** Loads block after block of queries; each is to be worked on before the next. */
  *blocks(
    queries: Float32Array,
    size = blockQueries,
  ): Generator<{ readonly first: number; readonly taken: number }> {
    const count = queries.length / this.store.dimensions;
    for (let first = 0; first < count; first += size) {
      const taken = Math.min(size, count - first);
      this.arena.u32[(this.job >>> 2) + jobWords.variant] = variants[this.variant(taken)];
      this.block.load(queries, first, taken);
      yield { first, taken };
    }
  }

  /** The best k rows, or with `kind` documents, of the loaded queries; k at most what there is. */
  findBest(k: number, kind: 'rows' | 'documents'): void {
    const capacity = k + Math.max(128, 4 * k);
    const open = () => this.block.openBests(k, capacity, kind);
    if (kind === 'rows') {
      this.scan(purposes.best, open);
    } else {
      this.openParts();
      this.scan(purposes.documents, open);
      const { documents } = this.store;
      for (let q = 0; q < this.block.count; q++) {
        for (let from = 0; from < documents; from += 4096) {
          this.machine.exports.collectDocuments(this.job, q, from, Math.min(from + 4096, documents));
        }
      }
    }
    this.machine.exports.finishBest(this.job);
  }

  /** Queries whose documents' parts are held at once. */
  get documentBlock(): number {
    const fitting = Math.floor(partsBudget / (8 * this.store.documents + 8));
    return Math.max(1, Math.min(blockQueries, fitting));
  }

  /** `open` empties what the scan fills; it is called again where workers fail and everything is done over. */
  scan(purpose: number, open: () => void): void {
    const { segments } = this.store;
    open();
    const step = this.block.count === 1 ? segmentsPerCall.one : segmentsPerCall.batch;
    if (this.lanes.worthwhile(segments, this.block.count)) {
      if (this.lanes.scan(purpose, segments, step)) return;
      if (purpose === purposes.documents) this.clearParts();
      open();
    }
    for (let from = 0; from < segments; from += step) {
      this.machine.exports.scan(this.job, purpose, from, Math.min(from + step, segments));
    }
  }

  /** Codes that lose more are read faster, but let more rows through: in a batch that pays where there are many. */
  private variant(queries: number): keyof typeof variants {
    const { format, variant, sixBitsFrom = manyRows } = this.options;
    if (format === 'f32') return 'f32';
    const few = queries >= fewQueries && this.store.length < sixBitsFrom;
    return variant === 'sixBits' && few ? 'int16' : variant;
  }

  /** A part is −Infinity before and after each use, so only new room needs filling. */
  private openParts(): void {
    const bytes = Math.max(64, this.block.count * this.store.documents * 8);
    if (bytes > this.partsCapacity) {
      this.partsCapacity = Math.max(bytes, 2 * this.partsCapacity);
      this.parts = this.arena.allocate(this.partsCapacity);
      this.clearParts();
    }
    this.arena.u32[(this.job >>> 2) + jobWords.parts] = this.parts;
  }

  private clearParts(): void {
    this.arena.f32.fill(-Infinity, this.parts >>> 2, (this.parts + this.partsCapacity) >>> 2);
  }
}

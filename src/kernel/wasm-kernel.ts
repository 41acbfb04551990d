import { checkBlend, checkK, checkOwn, checkRows, countVectors } from './arguments.ts';
import { Arena, Region } from './arena.ts';
import { jobWords, purposes, variants } from './layout.ts';
import type { Machine } from './machine.ts';
import { blockQueries, QueryBlock } from './query-block.ts';
import { RowStore } from './row-store.ts';
import type { RowLabels, TopDocuments, TopK, VectorKernel } from './types.ts';

export interface WasmKernelOptions {
  /**
   * What a scan reads: `int8` codes beside the vectors (five bytes a coordinate, three times as fast), or the vectors alone.
   * Results are the same.
   */
  readonly format: 'f32' | 'int8';
  /** How int8 batches are scored; the fastest differs from machine to machine. The base build has only `int16`. */
  readonly variant: 'int16' | 'sevenBits' | 'sixBits';
  /** Fewer rows than this are scored by `int16` where the machine prefers `sixBits`. Default 16,384. */
  readonly sixBitsFrom?: number;
  /** Address of the first byte to use: for tests of large addresses. */
  readonly base?: number;
}

/** Segments that one call into WebAssembly scans: long loops must end for an optimised build of them to be taken up. */
const segmentsPerCall = { one: 8, batch: 1 };

/** From so many on, 6-bit queries beat 14-bit ones on machines without a fused dot product. */
const manyRows = 16_384;

/** Documents' parts of one block of queries may take this many bytes. */
const partsBudget = 2 ** 24;

export class WasmKernel implements VectorKernel {
  private readonly arena: Arena;
  private readonly job: number;
  private readonly store: RowStore;
  private readonly block: QueryBlock;
  private readonly bitmap: Region;
  private readonly lists: Region;
  private parts = 0;
  private partsCapacity = 0;

  constructor(
    private readonly machine: Machine,
    readonly dimensions: number,
    private readonly options: WasmKernelOptions,
  ) {
    this.arena = new Arena(machine.memory, options.base);
    const { arena } = this;
    this.job = arena.allocate(jobWords.size * 4);
    this.store = new RowStore(arena, machine.exports, dimensions, options.format, true, this.job);
    this.block = new QueryBlock(arena, machine.exports, dimensions, this.store.padded, this.job, false);
    this.bitmap = new Region(arena);
    this.lists = new Region(arena);
    const { padded } = this.store;
    const scratch = arena.allocate(384 + 32 * padded);
    const { u32 } = arena;
    const at = this.job >>> 2;
    u32[at + jobWords.tileRows] = options.format === 'int8' ? 32 : padded <= 512 ? 16 : 8;
    u32[at + jobWords.scratch] = scratch;
  }

  get length(): number {
    return this.store.length;
  }

  get live(): number {
    return this.store.live;
  }

  /** WebAssembly memory taken, in bytes. */
  get bytes(): number {
    return this.arena.used;
  }

  add(vectors: Float32Array, labels?: RowLabels): number {
    return this.store.add(vectors, labels);
  }

  remove(rows: readonly number[]): void {
    this.store.remove(rows);
  }

  topK(queries: Float32Array, k: number, admissible?: Uint32Array): TopK {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    const result = {
      k,
      counts: new Uint32Array(count),
      rows: new Uint32Array(count * k),
      scores: new Float32Array(count * k),
    };
    const reach = Math.min(k, Math.max(1, this.live));
    this.admit(admissible);
    this.eachBlock(queries, blockQueries, (first, taken) => {
      this.block.openBests(reach, this.capacity(reach), 'rows');
      this.scan(purposes.best);
      this.machine.exports.finishBest(this.job);
      for (let q = 0; q < taken; q++) {
        result.counts[first + q] = this.block.read(q, (first + q) * k, result.rows, result.scores);
      }
    });
    return result;
  }

  topDocuments(queries: Float32Array, k: number, blend: number, admissible?: Uint32Array): TopDocuments {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    checkBlend(blend);
    const result = {
      k,
      counts: new Uint32Array(count),
      documents: new Uint32Array(count * k),
      scores: new Float32Array(count * k),
      originals: new Float32Array(count * k),
      generated: new Float32Array(count * k),
      rows: new Uint32Array(count * k),
    };
    const { documents } = this.store;
    const reach = Math.min(k, Math.max(1, documents));
    this.admit(admissible);
    this.arena.f32[(this.job >>> 2) + jobWords.blend] = blend;
    const blockSize = Math.max(1, Math.min(blockQueries, Math.floor(partsBudget / (8 * documents + 8))));
    this.openParts(Math.min(blockSize, count));
    this.eachBlock(queries, blockSize, (first, taken) => {
      this.block.openBests(reach, this.capacity(reach), 'documents');
      this.scan(purposes.documents);
      for (let q = 0; q < taken; q++) {
        for (let from = 0; from < documents; from += 4096) {
          this.machine.exports.collectDocuments(this.job, q, from, Math.min(from + 4096, documents));
        }
      }
      this.machine.exports.finishBest(this.job);
      for (let q = 0; q < taken; q++) this.describe(q, (first + q) * k, first + q, result);
    });
    return result;
  }

  pairs(queries: Float32Array, rows: Uint32Array): Float32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const result = new Float32Array(count * rows.length);
    this.eachScored(queries, rows, (first, start, scores, taken, listed) => {
      for (let q = 0; q < taken; q++) {
        result.set(scores.subarray(q * listed, (q + 1) * listed), (first + q) * rows.length + start);
      }
    });
    return result;
  }

  maximum(queries: Float32Array, rows: Uint32Array): Float32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const result = new Float32Array(count).fill(-Infinity);
    this.eachScored(queries, rows, (first, _start, scores, taken, listed) => {
      for (let q = 0; q < taken; q++) {
        let best = result[first + q];
        for (let i = q * listed; i < (q + 1) * listed; i++) if (scores[i] > best) best = scores[i];
        result[first + q] = best;
      }
    });
    return result;
  }

  rankCounts(queries: Float32Array, own: Uint32Array, admissible?: Uint32Array): Uint32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkOwn(own, count, this.length, (row) => this.store.isRemoved(row));
    const result = new Uint32Array(count);
    this.admit(admissible);
    this.eachBlock(queries, blockQueries, (first, taken) => {
      this.block.openRanks(own, first);
      this.machine.exports.startRanks(this.job);
      this.scan(purposes.ranks);
      for (let q = 0; q < taken; q++) result[first + q] = this.block.rankCount(q);
    });
    return result;
  }

  dispose(): void {
    this.store.clear();
  }

  /** Room for entries of one best: enough that rows within the error of the codes rarely fill it. */
  private capacity(k: number): number {
    return k + Math.max(128, 4 * k);
  }

  /** Codes that lose more are read faster, but let more rows through: that pays where there are many. */
  private variant(): keyof typeof variants {
    const { format, variant, sixBitsFrom = manyRows } = this.options;
    if (format === 'f32') return 'f32';
    return variant === 'sixBits' && this.length < sixBitsFrom ? 'int16' : variant;
  }

  private admit(admissible: Uint32Array | undefined): void {
    const words = admissible ? Math.min(admissible.length, Math.ceil(this.length / 32)) : 0;
    const start = this.bitmap.at(Math.max(4, words * 4));
    const { u32 } = this.arena;
    const at = this.job >>> 2;
    if (admissible) u32.set(admissible.subarray(0, words), start >>> 2);
    u32[at + jobWords.admissible] = admissible ? start : 0;
    u32[at + jobWords.admissibleWords] = words;
  }

  private eachBlock(
    queries: Float32Array,
    size: number,
    visit: (first: number, count: number) => void,
  ): void {
    const count = queries.length / this.dimensions;
    for (let first = 0; first < count; first += size) {
      const taken = Math.min(size, count - first);
      this.arena.u32[(this.job >>> 2) + jobWords.variant] = variants[this.variant()];
      this.block.load(queries, first, taken);
      visit(first, taken);
    }
  }

  private scan(purpose: number): void {
    const { segments } = this.store;
    const step = this.block.count === 1 ? segmentsPerCall.one : segmentsPerCall.batch;
    for (let from = 0; from < segments; from += step) {
      this.machine.exports.scan(this.job, purpose, from, Math.min(from + step, segments));
    }
  }

  /** Canonical scores of listed rows, in pieces that stay small. */
  private eachScored(
    queries: Float32Array,
    rows: Uint32Array,
    visit: (first: number, start: number, scores: Float32Array, queryCount: number, rowCount: number) => void,
  ): void {
    const piece = 2048;
    this.eachBlock(queries, blockQueries, (first, taken) => {
      for (let start = 0; start < rows.length; start += piece) {
        const listed = Math.min(piece, rows.length - start);
        const list = this.lists.at(piece * 4 + blockQueries * piece * 4);
        const out = list + piece * 4;
        this.arena.u32.set(rows.subarray(start, start + listed), list >>> 2);
        this.machine.exports.scoreRows(this.job, list, listed, out);
        visit(first, start, this.arena.f32.subarray(out >>> 2, (out >>> 2) + taken * listed), taken, listed);
      }
    });
  }

  /** A part is −Infinity before and after each use, so only new room needs filling. */
  private openParts(queries: number): void {
    const bytes = Math.max(64, queries * this.store.documents * 8);
    if (bytes > this.partsCapacity) {
      this.partsCapacity = Math.max(bytes, 2 * this.partsCapacity);
      this.parts = this.arena.allocate(this.partsCapacity);
      this.arena.f32.fill(-Infinity, this.parts >>> 2, (this.parts + this.partsCapacity) >>> 2);
    }
    this.arena.u32[(this.job >>> 2) + jobWords.parts] = this.parts;
  }

  private describe(
    q: number,
    place: number,
    query: number,
    result: {
      counts: Uint32Array;
      documents: Uint32Array;
      scores: Float32Array;
      originals: Float32Array;
      generated: Float32Array;
      rows: Uint32Array;
    },
  ): void {
    const count = this.block.read(q, place, result.documents, result.scores);
    result.counts[query] = count;
    const out = this.lists.at(64);
    const { u32, f32 } = this.arena;
    for (let i = place; i < place + count; i++) {
      this.machine.exports.describeDocument(this.job, q, result.documents[i], out);
      result.originals[i] = f32[out >>> 2];
      result.generated[i] = f32[(out >>> 2) + 1];
      result.rows[i] = u32[(out >>> 2) + 2];
    }
  }
}

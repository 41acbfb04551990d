import { checkBlend, checkK, checkOwn, checkRows, countVectors } from './arguments.ts';
import { Region } from './arena.ts';
import { purposes } from './layout.ts';
import type { Machine } from './machine.ts';
import { blockQueries } from './query-block.ts';
import { emptyTopDocuments, emptyTopK, type OpenTopDocuments } from './results.ts';
import { ScanEngine, type EngineOptions } from './scan-engine.ts';
import type { RowLabels, TopDocuments, TopK, VectorKernel } from './types.ts';

export interface WasmKernelOptions extends EngineOptions {
  /**
   * What a scan reads: `int8` codes beside the vectors (five bytes a coordinate, three times as fast), or the vectors alone.
   * Results are the same.
   */
  readonly format: 'f32' | 'int8';
}

/** Rows that one call scores for `pairs` and `maximum`. */
const listPiece = 2048;

/** The kernel over WebAssembly, vectors in its memory. */
export class WasmKernel implements VectorKernel {
  readonly engine: ScanEngine;
  private readonly lists: Region;

  constructor(
    machine: Machine,
    readonly dimensions: number,
    options: WasmKernelOptions,
  ) {
    this.engine = new ScanEngine(machine, dimensions, true, options);
    this.lists = new Region(this.engine.arena);
  }

  get length(): number {
    return this.engine.store.length;
  }

  get live(): number {
    return this.engine.store.live;
  }

  /** WebAssembly memory taken, in bytes. */
  get bytes(): number {
    return this.engine.arena.used;
  }

  /** Workers that help now. */
  get helpers(): number {
    return this.engine.helpers;
  }

  /** Vectors of the first rows, removed ones included: queries for a race. */
  someVectors(count: number): Float32Array {
    return this.engine.store.vectors(Math.min(count, this.length));
  }

  add(vectors: Float32Array, labels?: RowLabels): number {
    const first = this.engine.store.add(vectors, labels);
    this.engine.grown();
    return first;
  }

  remove(rows: readonly number[]): void {
    this.engine.store.remove(rows);
  }

  topK(queries: Float32Array, k: number, admissible?: Uint32Array): TopK {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    const result = emptyTopK(count, k);
    const { engine } = this;
    engine.admit(admissible);
    for (const { first, taken } of engine.blocks(queries)) {
      engine.findBest(Math.min(k, Math.max(1, this.live)), 'rows');
      for (let q = 0; q < taken; q++) {
        result.counts[first + q] = engine.block.read(q, (first + q) * k, result.rows, result.scores);
      }
    }
    return result;
  }

  topDocuments(queries: Float32Array, k: number, blend: number, admissible?: Uint32Array): TopDocuments {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    checkBlend(blend);
    const result = emptyTopDocuments(count, k);
    const { engine } = this;
    engine.admit(admissible);
    engine.setBlend(blend);
    for (const { first, taken } of engine.blocks(queries, engine.documentBlock)) {
      engine.findBest(Math.min(k, Math.max(1, engine.store.documents)), 'documents');
      for (let q = 0; q < taken; q++) {
        const place = (first + q) * k;
        result.counts[first + q] = engine.block.read(q, place, result.documents, result.scores);
        this.describe(q, place, result.counts[first + q], result);
      }
    }
    return result;
  }

  pairs(queries: Float32Array, rows: Uint32Array): Float32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const result = new Float32Array(count * rows.length);
    this.eachScored(queries, rows, (query, start, scores) => {
      result.set(scores, query * rows.length + start);
    });
    return result;
  }

  maximum(queries: Float32Array, rows: Uint32Array): Float32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const result = new Float32Array(count).fill(-Infinity);
    if (rows.length > 0.05 * this.length && rows.length > listPiece)
      return this.maximumByScan(queries, rows, result);
    this.eachScored(queries, rows, (query, _start, scores) => {
      let best = result[query];
      for (let i = 0; i < scores.length; i++) if (scores[i] > best) best = scores[i];
      result[query] = best;
    });
    return result;
  }

  rankCounts(queries: Float32Array, own: Uint32Array, admissible?: Uint32Array): Uint32Array {
    const count = countVectors(queries, this.dimensions, 'Queries');
    checkOwn(own, count, this.length, (row) => this.engine.store.isRemoved(row));
    const result = new Uint32Array(count);
    const { engine } = this;
    engine.admit(admissible);
    for (const { first, taken } of engine.blocks(queries)) {
      engine.scan(purposes.ranks, () => {
        engine.block.openRanks(own, first);
        engine.machine.exports.startRanks(engine.job);
      });
      for (let q = 0; q < taken; q++) result[first + q] = engine.block.rankCount(q);
    }
    return result;
  }

  dispose(): void {
    this.engine.dispose();
  }

  /** A scan looks at most rows only through their codes: for long lists. */
  private maximumByScan(queries: Float32Array, rows: Uint32Array, result: Float32Array): Float32Array {
    const listed = new Uint32Array(Math.ceil(this.length / 32));
    for (const row of rows) listed[row >>> 5] |= 1 << (row & 31);
    const { counts, scores } = this.topK(queries, 1, listed);
    counts.forEach((count, query) => {
      if (count > 0) result[query] = scores[query];
    });
    return result;
  }

  /** Canonical scores of listed rows, in pieces that stay small. */
  private eachScored(
    queries: Float32Array,
    rows: Uint32Array,
    visit: (query: number, start: number, scores: Float32Array) => void,
  ): void {
    const { engine } = this;
    for (const { first, taken } of engine.blocks(queries)) {
      for (let start = 0; start < rows.length; start += listPiece) {
        const listed = Math.min(listPiece, rows.length - start);
        const list = this.lists.at((1 + blockQueries) * listPiece * 4);
        const out = (list >>> 2) + listPiece;
        engine.arena.u32.set(rows.subarray(start, start + listed), list >>> 2);
        engine.machine.exports.scoreRows(engine.job, list, listed, out * 4);
        const { f32 } = engine.arena;
        for (let q = 0; q < taken; q++) {
          visit(first + q, start, f32.subarray(out + q * listed, out + (q + 1) * listed));
        }
      }
    }
  }

  /** Parts and best row of found documents. */
  private describe(q: number, place: number, count: number, result: OpenTopDocuments): void {
    const { engine } = this;
    const out = this.lists.at(64);
    const { u32, f32 } = engine.arena;
    for (let i = place; i < place + count; i++) {
      engine.machine.exports.describeDocument(engine.job, q, result.documents[i], out);
      result.originals[i] = f32[out >>> 2];
      result.generated[i] = f32[(out >>> 2) + 1];
      result.rows[i] = u32[(out >>> 2) + 2];
    }
  }
}

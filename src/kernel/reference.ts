import {
  checkBlend,
  checkDimensions,
  checkK,
  checkLabels,
  checkOwn,
  checkRows,
  checkVectors,
} from './arguments.ts';
import { aggregateScore, canonicalScore } from './canonical.ts';
import { emptyTopDocuments, emptyTopK, writeHits, writeParts, type DocumentParts } from './results.ts';
import { none } from './layout.ts';
import { BestK } from './select.ts';
import type { RowLabels, TopDocuments, TopK, VectorKernel } from './types.ts';

/** Rows in one chunk: appending never copies what is there. */
const chunkRows = 1024;

/**
 * The similarity kernel in plain TypeScript: the definition of every result, and what runs where WebAssembly does
 * not. One pass over all rows per query.
 */
export function createReferenceKernel(dimensions: number): VectorKernel {
  checkDimensions(dimensions);
  return new ReferenceKernel(dimensions);
}

class ReferenceKernel implements VectorKernel {
  length = 0;
  live = 0;
  private chunks: Float32Array[] = [];
  private readonly removed = new Set<number>();
  private readonly documents: number[] = [];
  private readonly originals: boolean[] = [];

  constructor(readonly dimensions: number) {}

  add(vectors: Float32Array, labels?: RowLabels): number {
    const count = checkVectors(vectors, this.dimensions, 'Vectors to add');
    if (labels) checkLabels(labels, count);
    const first = this.length;
    for (let i = 0; i < count; i++) {
      const row = first + i;
      const place = row % chunkRows;
      if (place === 0) this.chunks.push(new Float32Array(chunkRows * this.dimensions));
      const vector = vectors.subarray(i * this.dimensions, (i + 1) * this.dimensions);
      this.chunks[this.chunks.length - 1].set(vector, place * this.dimensions);
      this.documents.push(labels ? labels.documents[i] : none);
      this.originals.push(labels !== undefined && labels.originals[i] !== 0);
    }
    this.length += count;
    this.live += count;
    return first;
  }

  remove(rows: readonly number[]): void {
    checkRows(rows, this.length);
    for (const row of rows) this.removed.add(row);
    this.live = this.length - this.removed.size;
  }

  topK(queries: Float32Array, k: number, admissible?: Uint32Array): TopK {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    const result = emptyTopK(count, k);
    for (let query = 0; query < count; query++) {
      const best = new BestK(k);
      this.forEachRow(admissible, (row) => best.offer(row, this.score(queries, query, row)));
      writeHits(result, result.rows, query, best);
    }
    return result;
  }

  topDocuments(queries: Float32Array, k: number, blend: number, admissible?: Uint32Array): TopDocuments {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    checkBlend(blend);
    const result = emptyTopDocuments(count, k);
    for (let query = 0; query < count; query++) {
      const parts = this.scoreDocuments(queries, query, admissible);
      const best = new BestK(k);
      for (const [document, { original, generated }] of parts) {
        best.offer(document, aggregateScore(original, generated, blend));
      }
      writeHits(result, result.documents, query, best);
      writeParts(result, query, parts);
    }
    return result;
  }

  pairs(queries: Float32Array, rows: Uint32Array): Float32Array {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const scores = new Float32Array(count * rows.length);
    for (let query = 0; query < count; query++) {
      for (let i = 0; i < rows.length; i++) {
        const present = !this.removed.has(rows[i]);
        scores[query * rows.length + i] = present ? this.score(queries, query, rows[i]) : -Infinity;
      }
    }
    return scores;
  }

  maximum(queries: Float32Array, rows: Uint32Array): Float32Array {
    const scores = this.pairs(queries, rows);
    const best = new Float32Array(queries.length / this.dimensions).fill(-Infinity);
    for (let i = 0; i < scores.length; i++) {
      const query = Math.floor(i / rows.length);
      if (scores[i] > best[query]) best[query] = scores[i];
    }
    return best;
  }

  rankCounts(queries: Float32Array, own: Uint32Array, admissible?: Uint32Array): Uint32Array {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkOwn(own, count, this.length, (row) => this.removed.has(row));
    return Uint32Array.from({ length: count }, (_, query) => {
      const bar = this.score(queries, query, own[query]);
      let rivals = 0;
      this.forEachRow(admissible, (row) => {
        if (row !== own[query] && this.score(queries, query, row) >= bar) rivals++;
      });
      return rivals;
    });
  }

  dispose(): void {
    this.chunks = [];
    this.length = 0;
    this.live = 0;
  }

  private score(queries: Float32Array, query: number, row: number): number {
    const { dimensions } = this;
    const chunk = this.chunks[Math.floor(row / chunkRows)];
    return canonicalScore(queries, query * dimensions, chunk, (row % chunkRows) * dimensions, dimensions);
  }

  private forEachRow(admissible: Uint32Array | undefined, visit: (row: number) => void): void {
    const end = admissible ? Math.min(this.length, admissible.length * 32) : this.length;
    for (let row = 0; row < end; row++) {
      if (admissible && ((admissible[row >>> 5] >>> (row & 31)) & 1) === 0) continue;
      if (!this.removed.has(row)) visit(row);
    }
  }

  private scoreDocuments(
    queries: Float32Array,
    query: number,
    admissible?: Uint32Array,
  ): Map<number, DocumentParts> {
    const found = new Map<number, DocumentParts>();
    this.forEachRow(admissible, (row) => {
      const document = this.documents[row];
      if (document === none) return;
      const score = this.score(queries, query, row);
      let parts = found.get(document);
      if (!parts) {
        parts = { original: -Infinity, generated: -Infinity, row };
        found.set(document, parts);
      }
      if (score > Math.max(parts.original, parts.generated)) parts.row = row;
      if (this.originals[row]) parts.original = Math.max(parts.original, score);
      else parts.generated = Math.max(parts.generated, score);
    });
    return found;
  }
}

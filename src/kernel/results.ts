import type { BestK } from './select.ts';

/** Results under construction: the arrays of TopK and TopDocuments, filled query by query. */

export function emptyTopK(queries: number, k: number) {
  return {
    k,
    counts: new Uint32Array(queries),
    rows: new Uint32Array(queries * k),
    scores: new Float32Array(queries * k),
  };
}

export function emptyTopDocuments(queries: number, k: number) {
  return {
    k,
    counts: new Uint32Array(queries),
    documents: new Uint32Array(queries * k),
    scores: new Float32Array(queries * k),
    originals: new Float32Array(queries * k),
    generated: new Float32Array(queries * k),
    rows: new Uint32Array(queries * k),
  };
}

export type OpenTopDocuments = ReturnType<typeof emptyTopDocuments>;

/** What a document's keys score, and the row that scores best; −Infinity where there is no such key. */
export interface DocumentParts {
  original: number;
  generated: number;
  row: number;
}

/** Writes a query's hits in order; returns the score of the last, −Infinity where there are fewer than k. */
export function writeHits(
  result: { readonly k: number; readonly counts: Uint32Array; readonly scores: Float32Array },
  numbers: Uint32Array,
  query: number,
  best: BestK,
): number {
  const { k } = result;
  const found = best.sorted();
  result.counts[query] = found.length;
  found.forEach(({ number, score }, i) => {
    numbers[query * k + i] = number;
    result.scores[query * k + i] = score;
  });
  return found.length < k ? -Infinity : found[k - 1].score;
}

/** Writes the parts of the documents that a query has found. */
export function writeParts(
  result: OpenTopDocuments,
  query: number,
  parts: ReadonlyMap<number, DocumentParts>,
): void {
  const start = query * result.k;
  for (let place = start; place < start + result.counts[query]; place++) {
    const found = parts.get(result.documents[place]);
    if (!found) continue;
    result.originals[place] = found.original;
    result.generated[place] = found.generated;
    result.rows[place] = found.row;
  }
}

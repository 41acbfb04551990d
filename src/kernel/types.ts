/** The k best rows for each query, flattened: query q's hits are at [q·k, q·k + counts[q]). Score descending, ties by lowest row. */
export interface TopK {
  readonly k: number;
  readonly counts: Uint32Array;
  readonly rows: Uint32Array;
  readonly scores: Float32Array;
}

/**
 * Flat inner-product scoring over rows of float32 vectors. Rows are numbered in the order in which they were added
 * and never renumbered; a removed row is passed over. Vectors with NaN or infinities are refused with
 * `invalid-argument`. Where vectors are L2-normalised the score is the cosine.
 */
export interface VectorKernel {
  readonly dimensions: number;
  /** Rows ever added, removed ones included. */
  readonly length: number;
  /** Appends row-major vectors; returns the number of the first. */
  add(vectors: Float32Array): number;
  remove(rows: readonly number[]): void;
  /** `admissible`: bit r of word r >> 5 set = row r may appear; absent = all. */
  topK(queries: Float32Array, k: number, admissible?: Uint32Array): TopK;
  /** Row-major |queries| × |rows| scores. */
  pairs(queries: Float32Array, rows: Uint32Array): Float32Array;
  /** Per query the best score over candidate rows; −Infinity where there is none. */
  maximum(queries: Float32Array, rows: Uint32Array): Float32Array;
  /** Per query i: how many other admissible rows score at least as high as row `own[i]` does. */
  rankCounts(queries: Float32Array, own: Uint32Array, admissible?: Uint32Array): Uint32Array;
  dispose(): void;
}

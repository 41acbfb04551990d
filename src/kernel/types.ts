/** The k best rows for each query, flattened: query q's hits are at [q·k, q·k + counts[q]). Score descending, ties by lowest row. */
export interface TopK {
  readonly k: number;
  readonly counts: Uint32Array;
  readonly rows: Uint32Array;
  readonly scores: Float32Array;
}

/** Which document each added row is a key of, and whether it is that document's original key (1) or a generated one (0). */
export interface RowLabels {
  /** Small whole numbers of the caller's own: memory grows with the largest. */
  readonly documents: Uint32Array;
  readonly originals: Uint8Array;
}

/**
 * The k best documents for each query, laid out as TopK; ties by lowest document number. A component that the
 * document lacks (no admissible original, no generated key) is −Infinity.
 */
export interface TopDocuments {
  readonly k: number;
  readonly counts: Uint32Array;
  readonly documents: Uint32Array;
  readonly scores: Float32Array;
  /** Score of the original key. */
  readonly originals: Float32Array;
  /** Best score of a generated key. */
  readonly generated: Float32Array;
  /** The row that scored best, ties by lowest row. */
  readonly rows: Uint32Array;
}

/**
 * Flat inner-product scoring over rows of float32 vectors. Rows are numbered in the order in which they were added
 * and never renumbered; a removed row is passed over. Where vectors are L2-normalised the score is the cosine.
 *
 * Every implementation gives the same scores and the same order, bit for bit, as the plain reference
 * (reference.ts): quantised codes, fused multiply-add and graphics hardware only decide which rows are looked at.
 *
 * Refused with `invalid-argument`: NaN, infinities and vectors longer than 1e19 (a score could overflow), lengths
 * that are no multiple of `dimensions`, rows that were never added. A refused call changes nothing.
 */
export interface VectorKernel {
  readonly dimensions: number;
  /** Rows ever added, removed ones included. */
  readonly length: number;
  /** Rows that are not removed. */
  readonly live: number;
  /** Appends row-major vectors; returns the number of the first. Rows without labels belong to no document. */
  add(vectors: Float32Array, labels?: RowLabels): number;
  /** A row removed twice stays removed. */
  remove(rows: readonly number[]): void;
  /** `admissible`: bit r & 31 of word r >> 5 set = row r may appear; rows beyond its end may not; absent = all. */
  topK(queries: Float32Array, k: number, admissible?: Uint32Array): TopK;
  /**
   * Documents by the aggregate of their admissible rows (design.md §5), with o the original key's score and g the
   * best generated one: o + blend·max(0, g − o). A blend of 1 is max(o, g), the paper's. A document without an
   * original scores g, one without generated keys o.
   */
  topDocuments(queries: Float32Array, k: number, blend: number, admissible?: Uint32Array): TopDocuments;
  /** Row-major |queries| × |rows| scores; −Infinity for a removed row. */
  pairs(queries: Float32Array, rows: Uint32Array): Float32Array;
  /** Per query the best score over candidate rows; −Infinity where there is none. */
  maximum(queries: Float32Array, rows: Uint32Array): Float32Array;
  /**
   * Per query i: how many other admissible rows score at least as high as row `own[i]` does. `own` must not be
   * removed, but need not be admissible.
   */
  rankCounts(queries: Float32Array, own: Uint32Array, admissible?: Uint32Array): Uint32Array;
  dispose(): void;
}

/** Where vectors are kept: a store, a file, memory elsewhere. */
export interface RowSource {
  /** Vectors of distinct rows in ascending order, row-major, exactly as they were added. */
  read(rows: Uint32Array, signal?: AbortSignal): Promise<Float32Array>;
}

export interface CompactOptions {
  /** `int8`: a byte a coordinate. `int4`: half, and answers that are very likely, not certain, to be complete. */
  readonly format: 'int8' | 'int4';
  readonly source: RowSource;
}

export interface CompactSearch {
  readonly admissible?: Uint32Array;
  readonly signal?: AbortSignal;
}

/** Whether it is certain that no better row was overlooked: per query 1 or 0. */
export interface Proven {
  readonly proven: Uint8Array;
}

/**
 * What lies in memory, one 32-bit word after another; layout.ts on the TypeScript side repeats the offsets.
 * Rows live in segments of 1,024: appending touches only the last one, so nothing is ever copied.
 */

export const segmentShift: u32 = 10;
export const segmentRows: u32 = 1024;
export const none: u32 = 0xffffffff;
/** In `Segment.documents`: the row is a generated key. */
export const generatedBit: u32 = 0x80000000;

export const formatF32: u32 = 0;
export const formatInt8: u32 = 1;
export const formatInt4: u32 = 2;

@unmanaged
export class Segment {
  /** 1,024 × padded float32; 0 where the rows are kept elsewhere. */
  vectors: usize;
  /** 1,024 × padded int8, or half of that for 4-bit codes. */
  codes: usize;
  /** float32 per row: the value of one step of its codes. */
  scales: usize;
  /** int32 per row: the sum of its codes. */
  sums: usize;
  /** 32 words; bit set = added and not removed. */
  alive: usize;
  /** Document of each row, `generatedBit` included; `none` without a label. */
  documents: usize;
  /** The next row of the same document, or `none`. */
  next: usize;
}

/**
 * An approximate score of a row with codes of step `s` is at most `bound + slope · s` from the canonical one, for every row there
 * is (codes.ts).
 */
@unmanaged
export class Query {
  /** float32 × padded. */
  vector: usize;
  /** Codes for one query alone: 14 bits (int8 rows), or 8 bits (4-bit rows). */
  fine: usize;
  /** Codes for a batch in the relaxed build: 7 or 6 bits. */
  coarse: usize;
  fineScale: f32;
  fineSum: i32;
  fineBound: f32;
  fineSlope: f32;
  coarseScale: f32;
  coarseSum: i32;
  coarseBound: f32;
  coarseSlope: f32;
}

/** The best k of what one query has met; see best.ts. */
@unmanaged
export class Best {
  k: u32;
  capacity: u32;
  count: u32;
  /** The count at which the buffer is partitioned next. */
  trigger: u32;
  /** At least k entries score this much or more. */
  threshold: f32;
  /** Of the scores that a scan brings. */
  bound: f32;
  slope: f32;
  entries: usize;
  query: usize;
}

@unmanaged
export class Rank {
  own: u32;
  /** Canonical score of `own`. */
  bar: f32;
  count: u32;
  /** Rows whose approximate score does not decide, where vectors are not at hand. */
  undecided: usize;
  undecidedCount: u32;
  undecidedCapacity: u32;
}

@unmanaged
export class Job {
  dimensions: u32;
  /** Dimensions rounded up to a multiple of 64. */
  padded: u32;
  format: u32;
  /** How a batch is scored: one of the `by…` constants of tiles.ts. */
  variant: u32;
  /** Rows of one tile of a batch: 8, 16 or 32. */
  tileRows: u32;
  segments: usize;
  queryCount: u32;
  /** 1: each query is scored alone, in its fine codes; 0: two at a time. */
  singly: u32;
  queries: usize;
  bests: usize;
  ranks: usize;
  /** Bitmap of admissible rows, or 0 for all, and its length in words. */
  admissible: usize;
  admissibleWords: u32;
  /** Of one thread: two times 32 scores, 32 sums, then a tile of codes. */
  scratch: usize;
  /** What is ranked: 0 rows, 1 documents. */
  kind: u32;
  /** 1: scores are made canonical from `Segment.vectors`; 0: they stay approximate. */
  exact: u32;
  /** Largest norm of a row, step of its codes, and norms of what its codes lose, and lose without their last bit, in steps. */
  norm: f32;
  step: f32;
  loss: f32;
  halvedLoss: f32;
  /** Largest sum of absolute halved codes that `scoreSixBits` multiplies into one 16-bit number. */
  peak: f32;
  /** Per document the first of its rows, or `none`. */
  heads: usize;
  documentCount: u32;
  /** Per query of a block and document, two float32: the best score of its original and of its generated keys. */
  parts: usize;
  blend: f32;
}

@inline
export function segmentOf(job: Job, row: u32): Segment {
  return changetype<Segment>(job.segments + (row >> segmentShift) * offsetof<Segment>());
}

@inline
export function queryAt(job: Job, index: u32): Query {
  return changetype<Query>(job.queries + index * offsetof<Query>());
}

@inline
export function bestAt(job: Job, index: u32): Best {
  return changetype<Best>(job.bests + index * offsetof<Best>());
}

@inline
export function rankAt(job: Job, index: u32): Rank {
  return changetype<Rank>(job.ranks + index * offsetof<Rank>());
}

/** Rows that may appear among the 32 from `word * 32` of segment number `segment`. */
@inline
export function mayAppear(job: Job, segment: u32, alive: usize, word: u32): u32 {
  let mask = load<u32>(alive + (word << 2));
  if (job.admissible !== 0) {
    const at = (segment << (segmentShift - 5)) + word;
    mask = at < job.admissibleWords ? mask & load<u32>(job.admissible + (at << 2)) : 0;
  }
  return mask;
}

/** One pass over segments: scores of tiles of rows, handed while they are warm to whoever asked. */
import { offer } from './best';
import { addToDocuments } from './documents';
import { fineDot, nibbleDot, quick } from './dots';
import { countRanks } from './ranks';
import {
  Best, bestAt, formatF32, formatInt4, Job, mayAppear, Query, queryAt, rankAt, Segment, segmentRows, segmentShift,
} from './structs';
import {
  byF32, byInt16, bySixBits, halveTile, scoreF32, scoreInt16, scoreSevenBits, scoreSixBits, store4,
} from './tiles';

export const forBest: u32 = 0;
export const forRanks: u32 = 1;
export const forDocuments: u32 = 2;

/** Scores the rows of segments `from` to before `to` for every query of the job. */
export function scan(job: Job, purpose: u32, from: u32, to: u32): void {
  for (let number = from; number < to; number++) {
    const segment = changetype<Segment>(job.segments + number * offsetof<Segment>());
    if (job.singly) scanSingly(job, purpose, segment, number);
    else scanBatch(job, purpose, segment, number);
  }
}

function scanSingly(job: Job, purpose: u32, segment: Segment, number: u32): void {
  for (let word: u32 = 0; word < 32; word++) {
    const mask = mayAppear(job, number, segment.alive, word);
    if (mask === 0) continue;
    for (let q: u32 = 0; q < job.queryCount; q++) {
      const query = queryAt(job, q);
      scoreSingly(job, query, segment, word << 5, mask);
      consume(job, purpose, q, query.fineBound, job.scratch, mask, segment, (number << segmentShift) + (word << 5));
    }
  }
}

/** Scores of the rows in `mask` among 32 from `first`; other places are left as they are. */
export function scoreSingly(job: Job, query: Query, segment: Segment, first: u32, mask: u32): void {
  const out = job.scratch;
  const padded = job.padded;
  if (job.format === formatF32) {
    const rows = segment.vectors + first * (padded << 2);
    for (; mask !== 0; mask &= mask - 1) {
      const at = ctz(mask);
      store<f32>(out + (at << 2), quick(query.vector, rows + at * (padded << 2), padded));
    }
    return;
  }
  if (job.format === formatInt4) {
    const rows = segment.codes + first * (padded >> 1);
    for (; mask !== 0; mask &= mask - 1) {
      const at = ctz(mask);
      store<i32>(out + (at << 2), nibbleDot(rows + at * (padded >> 1), query.fine, padded, query.fineSum));
    }
  } else {
    const rows = segment.codes + first * padded;
    const sums = segment.sums + (first << 2);
    for (; mask !== 0; mask &= mask - 1) {
      const at = ctz(mask);
      store<i32>(out + (at << 2), fineDot(rows + at * padded, query.fine, padded, load<i32>(sums + (at << 2))));
    }
  }
  const scales = segment.scales + (first << 2);
  for (let at: u32 = 0; at < 128; at += 16) store4(out + at, v128.load(out + at), v128.load(scales + at), query.fineScale);
}

function scanBatch(job: Job, purpose: u32, segment: Segment, number: u32): void {
  const tileRows = job.tileRows;
  const tileMask: u32 = tileRows === 32 ? 0xffffffff : (1 << tileRows) - 1;
  for (let first: u32 = 0; first < segmentRows; first += tileRows) {
    const mask = (mayAppear(job, number, segment.alive, first >> 5) >> (first & 31)) & tileMask;
    if (mask === 0) continue;
    if (job.variant === bySixBits) {
      halveTile(segment.codes + first * job.padded, job.padded, job.scratch + 384, job.scratch + 256);
    }
    for (let q: u32 = 0; q < job.queryCount; q += 2) {
      // An odd last query is its own partner.
      const other = min(q + 1, job.queryCount - 1);
      const a = queryAt(job, q);
      const b = queryAt(job, other);
      scorePair(job, a, b, segment, first, mask);
      const base = (number << segmentShift) + first;
      consume(job, purpose, q, a.coarseBound, job.scratch, mask, segment, base);
      if (other !== q) consume(job, purpose, other, b.coarseBound, job.scratch + 128, mask, segment, base);
    }
  }
}

@inline
function scorePair(job: Job, a: Query, b: Query, segment: Segment, first: u32, mask: u32): void {
  const padded = job.padded;
  const out = job.scratch;
  const scales = segment.scales + (first << 2);
  if (job.variant === byF32) {
    scoreF32(a, b, segment.vectors + first * (padded << 2), padded, job.tileRows, mask, out);
  } else if (job.variant === byInt16) {
    scoreInt16(a, b, segment.codes + first * padded, scales, padded, mask, out);
  } else if (job.variant === bySixBits) {
    scoreSixBits(a, b, out + 384, scales, out + 256, padded, mask, out);
  } else {
    scoreSevenBits(a, b, segment.codes + first * padded, scales, segment.sums + (first << 2), padded, mask, out);
  }
}

function consume(
  job: Job, purpose: u32, q: u32, bound: f32, out: usize, mask: u32, segment: Segment, first: u32,
): void {
  if (purpose === forBest) offerRows(job, bestAt(job, q), out, mask, first);
  else if (purpose === forRanks) countRanks(job, rankAt(job, q), queryAt(job, q), bound, out, mask, first);
  else {
    const parts = job.parts + q * (job.documentCount << 3);
    addToDocuments(parts, segment.documents + ((first & (segmentRows - 1)) << 2), out, mask);
  }
}

function offerRows(job: Job, best: Best, out: usize, mask: u32, first: u32): void {
  const limit = f32x4.splat(best.limit);
  // Nearly always nothing passes: eight comparisons and one branch.
  const low = v128.or(
    v128.or(f32x4.ge(v128.load(out), limit), f32x4.ge(v128.load(out, 16), limit)),
    v128.or(f32x4.ge(v128.load(out, 32), limit), f32x4.ge(v128.load(out, 48), limit)),
  );
  const high = v128.or(
    v128.or(f32x4.ge(v128.load(out, 64), limit), f32x4.ge(v128.load(out, 80), limit)),
    v128.or(f32x4.ge(v128.load(out, 96), limit), f32x4.ge(v128.load(out, 112), limit)),
  );
  if (!v128.any_true(v128.or(low, high))) return;
  for (; mask !== 0; mask &= mask - 1) {
    const at = ctz(mask);
    const score = load<f32>(out + (at << 2));
    if (score >= best.limit) offer(job, best, first + at, score);
  }
}

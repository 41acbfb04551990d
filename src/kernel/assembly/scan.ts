/** One pass over segments: scores of tiles of rows, handed while they are warm to whoever asked. */
import { fineScore, offer } from './best';
import { addToDocuments } from './documents';
import { coarseDot, fineDot, nibbleDot, quick, relaxed } from './dots';
import { countRanks } from './ranks';
import {
  Best, bestAt, formatF32, formatInt4, Job, mayAppear, Query, queryAt, rankAt, Segment, segmentRows, segmentShift,
} from './structs';
import {
  byF32, byInt16, bySevenBits, bySixBits, halveTile, isCoarse, scoreF32, scoreInt16, scoreSevenBits, scoreSixBits, sixBitLevels, store4,
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

/**
 * Whether the scores to come are of coarse codes. While the bar is low, most of what these let through would have to be looked at
 * again: until a segment has raised it, fine codes are scanned.
 */
function scansCoarsely(job: Job, purpose: u32): bool {
  return isCoarse(job) && (job.variant !== bySixBits || purpose !== forBest || bestAt(job, 0).threshold !== -Infinity);
}

function scanSingly(job: Job, purpose: u32, segment: Segment, number: u32): void {
  const coarse = scansCoarsely(job, purpose);
  for (let word: u32 = 0; word < 32; word++) {
    const mask = mayAppear(job, number, segment.alive, word);
    if (mask === 0) continue;
    for (let q: u32 = 0; q < job.queryCount; q++) {
      const query = queryAt(job, q);
      scoreSingly(job, query, coarse, segment, word << 5, mask);
      consume(job, purpose, q, coarse, job.scratch, mask, segment, (number << segmentShift) + (word << 5));
    }
  }
}

/** Scores of the rows in `mask` among 32 from `first`; other places are left as they are. */
function scoreSingly(job: Job, query: Query, coarse: bool, segment: Segment, first: u32, mask: u32): void {
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
    if (relaxed && coarse) {
      for (; mask !== 0; mask &= mask - 1) {
        const at = ctz(mask);
        store<i32>(out + (at << 2), coarseDot(rows + at * padded, query.coarse, padded, load<i32>(sums + (at << 2))));
      }
      scaleRows(out, segment.scales + (first << 2), query.coarseScale);
      return;
    }
    const fused = job.variant === bySevenBits;
    for (; mask !== 0; mask &= mask - 1) {
      const at = ctz(mask);
      store<i32>(out + (at << 2), fineDot(rows + at * padded, query.fine, padded, load<i32>(sums + (at << 2)), fused));
    }
  }
  scaleRows(out, segment.scales + (first << 2), query.fineScale);
}

function scaleRows(out: usize, scales: usize, scale: f32): void {
  for (let at: u32 = 0; at < 128; at += 16) store4(out + at, v128.load(out + at), v128.load(scales + at), scale);
}

function scanBatch(job: Job, purpose: u32, segment: Segment, number: u32): void {
  const tileRows = job.tileRows;
  const tileMask: u32 = tileRows === 32 ? 0xffffffff : (1 << tileRows) - 1;
  const coarse = scansCoarsely(job, purpose);
  const variant = isCoarse(job) && !coarse ? byInt16 : job.variant;
  for (let first: u32 = 0; first < segmentRows; first += tileRows) {
    const mask = (mayAppear(job, number, segment.alive, first >> 5) >> (first & 31)) & tileMask;
    if (mask === 0) continue;
    if (relaxed && variant === bySixBits) {
      const codes = segment.codes + first * job.padded;
      halveTile(codes, tileRows, job.padded, sixBitLevels(job) + 1, job.scratch + 384, job.scratch + 256);
    }
    for (let q: u32 = 0; q < job.queryCount; q += 2) {
      // An odd last query is its own partner.
      const other = min(q + 1, job.queryCount - 1);
      const a = queryAt(job, q);
      const b = queryAt(job, other);
      scorePair(job, variant, a, b, segment, first, mask);
      const base = (number << segmentShift) + first;
      consume(job, purpose, q, coarse, job.scratch, mask, segment, base);
      if (other !== q) consume(job, purpose, other, coarse, job.scratch + 128, mask, segment, base);
    }
  }
}

@inline
function scorePair(job: Job, variant: u32, a: Query, b: Query, segment: Segment, first: u32, mask: u32): void {
  const padded = job.padded;
  const out = job.scratch;
  const scales = segment.scales + (first << 2);
  if (variant === byF32) {
    scoreF32(a, b, segment.vectors + first * (padded << 2), padded, job.tileRows, mask, out);
  } else if (variant === byInt16) {
    scoreInt16(a, b, segment.codes + first * padded, scales, padded, mask, out);
  } else if (relaxed && variant === bySixBits) {
    scoreSixBits(a, b, out + 384, scales, out + 256, padded, mask, out);
  } else if (relaxed) {
    scoreSevenBits(a, b, segment.codes + first * padded, scales, segment.sums + (first << 2), padded, mask, out);
  }
}

/** `coarse`: the scores are of coarse codes. Ranks and documents allow for that always. */
function consume(
  job: Job, purpose: u32, q: u32, coarse: bool, out: usize, mask: u32, segment: Segment, first: u32,
): void {
  const at = (first & (segmentRows - 1)) << 2;
  if (purpose === forBest) offerRows(job, bestAt(job, q), coarse, segment.scales + at, out, mask, first);
  else if (purpose === forRanks) countRanks(job, rankAt(job, q), queryAt(job, q), segment.scales + at, out, mask, first);
  else addToDocuments(job.parts + q * (job.documentCount << 3), segment.documents + at, out, mask);
}

function offerRows(job: Job, best: Best, coarse: bool, scales: usize, out: usize, mask: u32, first: u32): void {
  const query = changetype<Query>(best.query);
  let bound: f32 = 0;
  let steep: f32 = 0;
  if (job.exact) {
    bound = coarse ? query.coarseBound : query.fineBound;
    steep = coarse ? query.coarseSlope : query.fineSlope;
  }
  const limit = f32x4.splat(best.threshold - bound);
  const slope = f32x4.splat(steep);
  const low = i8x16.narrow_i16x8_s(
    i16x8.narrow_i32x4_s(passes(out, scales, limit, slope), passes(out + 16, scales + 16, limit, slope)),
    i16x8.narrow_i32x4_s(passes(out + 32, scales + 32, limit, slope), passes(out + 48, scales + 48, limit, slope)),
  );
  const high = i8x16.narrow_i16x8_s(
    i16x8.narrow_i32x4_s(passes(out + 64, scales + 64, limit, slope), passes(out + 80, scales + 80, limit, slope)),
    i16x8.narrow_i32x4_s(passes(out + 96, scales + 96, limit, slope), passes(out + 112, scales + 112, limit, slope)),
  );
  let passed = <u32>i8x16.bitmask(low) | (<u32>i8x16.bitmask(high) << 16);
  for (passed &= mask; passed !== 0; passed &= passed - 1) {
    const at = ctz(passed);
    let score = load<f32>(out + (at << 2));
    if (coarse) {
      // The row's codes are still in the nearest cache.
      score = fineScore(job, query, first + at);
      if (score + query.fineBound + query.fineSlope * load<f32>(scales + (at << 2)) < best.threshold) continue;
    }
    offer(job, best, first + at, score);
  }
}

@inline
function passes(out: usize, scales: usize, limit: v128, slope: v128): v128 {
  return f32x4.ge(f32x4.add(v128.load(out), f32x4.mul(slope, v128.load(scales))), limit);
}

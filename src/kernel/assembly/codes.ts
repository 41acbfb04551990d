/** Codes of rows and queries, with sound bounds of what they lose. Padding holds zeros and loses nothing. */
import { relaxed, sumOfI32 } from './dots';
import { formatF32, formatInt4, formatInt8, Job, Query, Segment } from './structs';
import { bySevenBits, isCoarse, sixBitLevels } from './tiles';

/** Below this the largest coordinate gives codes of zero: its reciprocal would not be a number. */
const smallest: f32 = 1e-30;
const largestSquaredNorm: f64 = 1e38;

/** Largest absolute coordinate; NaN is passed over, so look at the norm too. */
function largest(vector: usize, padded: u32): f32 {
  let top = f32x4.splat(0);
  for (let at = vector; at < vector + (padded << 2); at += 16) top = f32x4.pmax(top, f32x4.abs(v128.load(at)));
  const halves = f32x4.max(top, i32x4.shuffle(top, top, 2, 3, 0, 1));
  return max(f32x4.extract_lane(halves, 0), f32x4.extract_lane(halves, 1));
}

export function squaredNorm(vector: usize, padded: u32): f64 {
  let sum = f64x2.splat(0);
  for (let at = vector; at < vector + (padded << 2); at += 16) sum = addSquares(sum, v128.load(at));
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

@inline
function addSquares(sum: v128, x: v128): v128 {
  const a = f64x2.promote_low_f32x4(x);
  const b = f64x2.promote_low_f32x4(i32x4.shuffle(x, x, 2, 3, 0, 1));
  return f64x2.add(sum, f64x2.add(f64x2.mul(a, a), f64x2.mul(b, b)));
}

/**
 * Codes of the rows from `from` to before `to` of a segment, read from consecutive padded vectors. `measures` receives, as
 * float32, the largest norm, step, loss, loss without the last bit, and peak (structs.ts), where larger than what is there. Returns the place of the
 * first vector that has no score, −1 if all have.
 */
export function encodeRows(job: Job, segment: Segment, vectors: usize, from: u32, to: u32, measures: usize): i32 {
  const padded = job.padded;
  for (let row = from; row < to; row++) {
    const squared = squaredNorm(vectors, padded);
    if (!(squared <= largestSquaredNorm)) return row - from;
    raise(measures, sqrt(squared));
    if (job.format !== formatF32) {
      const top = largest(vectors, padded);
      const steps: f32 = job.format === formatInt8 ? 127 : 7;
      const scale: f32 = top < smallest ? 0 : top / steps;
      const inverse: f32 = top < smallest ? 0 : steps / top;
      store<f32>(segment.scales + (row << 2), scale);
      raise(measures + 4, scale);
      if (job.format === formatInt8) encodeInt8(job, segment, vectors, row, scale, inverse, measures);
      else encodeInt4(job, segment, vectors, row, scale, inverse, measures);
    }
    vectors += padded << 2;
  }
  return -1;
}

@inline
function round(x: v128, inverse: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(x, inverse)));
}

function encodeInt8(
  job: Job, segment: Segment, vector: usize, row: u32, scale: f32, inverse: f32, measures: usize,
): void {
  const codes = segment.codes + row * job.padded;
  let lost = f64x2.splat(0);
  let lostHalved = lost;
  let sums = i32x4.splat(0);
  const step = f32x4.splat(scale);
  const inverses = f32x4.splat(inverse);
  const half = f32x4.splat(0.5);
  for (let i: u32 = 0; i < job.padded; i += 4) {
    const x = v128.load(vector + (i << 2));
    const code = round(x, inverses);
    sums = i32x4.add(sums, code);
    storeBytes(codes + i, code);
    lost = addSquares(lost, f32x4.sub(x, f32x4.mul(step, f32x4.convert_i32x4_s(code))));
    const even = f32x4.add(f32x4.convert_i32x4_s(i32x4.shl(i32x4.shr_s(code, 1), 1)), half);
    // In the padding a query is zero, so the half step that stands there for zero does not count.
    if (i < job.dimensions) lostHalved = addSquares(lostHalved, f32x4.sub(x, f32x4.mul(step, even)));
  }
  store<i32>(segment.sums + (row << 2), sumOfI32(sums));
  raise(measures + 16, peakOf(codes, job.padded));
  if (scale === 0) return;
  raise(measures + 8, sqrt(f64x2.extract_lane(lost, 0) + f64x2.extract_lane(lost, 1)) / scale);
  raise(measures + 12, sqrt(f64x2.extract_lane(lostHalved, 0) + f64x2.extract_lane(lostHalved, 1)) / scale);
}

/** Of a row's codes, halved: the largest sum of the eight in two neighbouring lanes of a block of 64. */
function peakOf(codes: usize, padded: u32): i32 {
  let peak = i16x8.splat(0);
  for (const end = codes + padded; codes !== end; codes += 64) {
    const sum = i16x8.add(
      i16x8.add(halvedPairs(codes), halvedPairs(codes + 16)),
      i16x8.add(halvedPairs(codes + 32), halvedPairs(codes + 48)),
    );
    peak = i16x8.max_s(peak, sum);
  }
  const high = i16x8.max_s(peak, i32x4.shuffle(peak, peak, 2, 3, 0, 1));
  const pair = i16x8.max_s(high, i32x4.shuffle(high, high, 1, 0, 3, 2));
  return max(i16x8.extract_lane_s(pair, 0), i16x8.extract_lane_s(pair, 1));
}

@inline
function halvedPairs(codes: usize): v128 {
  return i16x8.extadd_pairwise_i8x16_u(i8x16.abs(i8x16.shr_s(v128.load(codes), 1)));
}

function encodeInt4(
  job: Job, segment: Segment, vector: usize, row: u32, scale: f32, inverse: f32, measures: usize,
): void {
  const codes = segment.codes + row * (job.padded >> 1);
  let error: f64 = 0;
  for (let i: u32 = 0; i < job.padded; i++) {
    const x = load<f32>(vector + (i << 2));
    const code = <i32>nearest(x * inverse);
    const lost = <f64>(x - scale * <f32>code);
    error += lost * lost;
    const byte = codes + ((i >> 5) << 4) + (i & 15);
    const nibble = <u32>(code + 8);
    if (i & 16) store<u8>(byte, load<u8>(byte) | (nibble << 4));
    else store<u8>(byte, nibble);
  }
  if (scale !== 0) raise(measures + 8, sqrt(error) / scale);
}

/** Rounded up, with room for the float32 rounding of what was squared. */
@inline
function raise(measure: usize, value: f64): void {
  store<f32>(measure, max(load<f32>(measure), <f32>(value * 1.00001)));
}

/** Codes and bounds of a query whose padded vector is in place; false where it has no score. */
export function encodeQuery(job: Job, query: Query): bool {
  const padded = job.padded;
  const squared = squaredNorm(query.vector, padded);
  if (!(squared <= largestSquaredNorm)) return false;
  const top = largest(query.vector, padded);
  if (job.format === formatF32) {
    query.fineSlope = 0;
    query.fineBound = bound(job, squared, 0);
    sameForBatch(query);
    return true;
  }
  // As many steps as keep the sum of all products within 31 bits.
  let levels: f32 = 127;
  if (job.format === formatInt8) levels = <f32>min<u32>(8191, 0x7fffffff / (127 * padded));
  query.fineScale = top < smallest ? 0 : top / levels;
  query.fineSum = encodeFine(job, query, query.fineScale, top < smallest ? 0 : levels / top);
  query.fineBound = bound(job, squared, lostByQuery);
  query.fineSlope = slope(squared, lostByQuery, job.loss);
  sameForBatch(query);
  if (!isCoarse(job)) return true;
  const seven = job.variant === bySevenBits || job.singly !== 0;
  const coarseLevels = seven ? 63 : sixBitLevels(job);
  query.coarseScale = top < smallest ? 0 : top / <f32>coarseLevels;
  query.coarseSum = encodeCoarse(query, padded, query.coarseScale, top < smallest ? 0 : <f32>coarseLevels / top, coarseLevels + 1);
  query.coarseBound = bound(job, squared, lostByQuery);
  query.coarseSlope = slope(squared, lostByQuery, seven ? job.loss : job.halvedLoss);
  return true;
}

function sameForBatch(query: Query): void {
  query.coarseBound = query.fineBound;
  query.coarseSlope = query.fineSlope;
}

/** Squared norm of what the last encoded query lost. */
let lostByQuery: f64 = 0;

/** Fine codes in the order in which dots.ts reads them; returns their sum. */
function encodeFine(job: Job, query: Query, scale: f32, inverse: f32): i32 {
  const inverses = f32x4.splat(inverse);
  const step = f32x4.splat(scale);
  const end = query.vector + (job.padded << 2);
  let target = query.fine;
  let sums = i32x4.splat(0);
  let lost = f64x2.splat(0);
  for (let at = query.vector; at < end; at += 64) {
    const x0 = v128.load(at);
    const x1 = v128.load(at, 16);
    const x2 = v128.load(at, 32);
    const x3 = v128.load(at, 48);
    const c0 = round(x0, inverses);
    const c1 = round(x1, inverses);
    const c2 = round(x2, inverses);
    const c3 = round(x3, inverses);
    lost = addSquares(lost, f32x4.sub(x0, f32x4.mul(step, f32x4.convert_i32x4_s(c0))));
    lost = addSquares(lost, f32x4.sub(x1, f32x4.mul(step, f32x4.convert_i32x4_s(c1))));
    lost = addSquares(lost, f32x4.sub(x2, f32x4.mul(step, f32x4.convert_i32x4_s(c2))));
    lost = addSquares(lost, f32x4.sub(x3, f32x4.mul(step, f32x4.convert_i32x4_s(c3))));
    sums = i32x4.add(sums, i32x4.add(i32x4.add(c0, c1), i32x4.add(c2, c3)));
    const low = i16x8.narrow_i32x4_s(c0, c1);
    const high = i16x8.narrow_i32x4_s(c2, c3);
    if (relaxed && job.format === formatInt4) {
      v128.store(target, i8x16.narrow_i16x8_s(low, high));
      target += 16;
    } else if (job.variant !== bySevenBits) {
      v128.store(target, low);
      v128.store(target, high, 16);
      target += 32;
    } else {
      const offset = i16x8.splat(64);
      const rest = i16x8.splat(127);
      v128.store(target, i8x16.narrow_i16x8_u(
        i16x8.add(i16x8.shr_s(low, 7), offset), i16x8.add(i16x8.shr_s(high, 7), offset)));
      v128.store(target, i8x16.narrow_i16x8_u(v128.and(low, rest), v128.and(high, rest)), 16);
      target += 32;
    }
  }
  lostByQuery = f64x2.extract_lane(lost, 0) + f64x2.extract_lane(lost, 1);
  return sumOfI32(sums);
}

/** Coarse codes, made positive by `offset`; returns their sum without it. */
function encodeCoarse(query: Query, padded: u32, scale: f32, inverse: f32, offset: i32): i32 {
  const inverses = f32x4.splat(inverse);
  const step = f32x4.splat(scale);
  const offsets = i32x4.splat(offset);
  let sums = i32x4.splat(0);
  let lost = f64x2.splat(0);
  for (let i: u32 = 0; i < padded; i += 4) {
    const x = v128.load(query.vector + (i << 2));
    const code = round(x, inverses);
    lost = addSquares(lost, f32x4.sub(x, f32x4.mul(step, f32x4.convert_i32x4_s(code))));
    sums = i32x4.add(sums, code);
    storeBytes(query.coarse + i, i32x4.add(code, offsets));
  }
  lostByQuery = f64x2.extract_lane(lost, 0) + f64x2.extract_lane(lost, 1);
  return sumOfI32(sums);
}

@inline
function storeBytes(target: usize, codes: v128): void {
  const words = i16x8.narrow_i32x4_s(codes, codes);
  store<u32>(target, i32x4.extract_lane(i8x16.narrow_i16x8_s(words, words), 0));
}

/**
 * With q = q̂ + e and r = r̂ + f: |q·r − q̂·r̂| ≤ |e||r| + (|q| + |e|)|f| (Cauchy–Schwarz), and |f| is at most `loss` steps of the row.
 * This is the first term, and the roundings of the canonical score, of the approximate one and of an aggregate of two, each in
 * float32 (Higham 2002, §3.1), with room. The last terms are for numbers too small to be rounded relatively, and for
 * rows too small to have codes.
 */
function bound(job: Job, squared: f64, squaredError: f64): f32 {
  const norm = sqrt(squared);
  const error = sqrt(squaredError) * 1.00001;
  const row = <f64>job.norm;
  const rounding = (<f64>job.padded / 4 + 32) * (1.0 / 8388608.0);
  const codes = row + <f64>job.halvedLoss * job.step + <f64>job.loss * job.step;
  return <f32>(error * row * 1.00001 + rounding * (norm + error) * codes + norm * 1e-28 + 1e-35);
}

/** The second term, for each unit of a row's step. */
function slope(squared: f64, squaredError: f64, loss: f32): f32 {
  return <f32>((sqrt(squared) + sqrt(squaredError)) * loss * 1.00002);
}

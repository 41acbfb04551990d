/** Codes of rows and queries, with sound bounds of what they lose. Padding holds zeros and loses nothing. */
import { relaxed } from './dots';
import { formatF32, formatInt4, formatInt8, Job, Query, Segment } from './structs';
import { bySevenBits, bySixBits } from './tiles';

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
 * float32, the largest norm, error and error without the last bit, where larger than what is there. Returns the place of the
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
  let error: f64 = 0;
  let halved: f64 = 0;
  let sum: i32 = 0;
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
    const words = i16x8.narrow_i32x4_s(code, code);
    store<u32>(codes + i, i32x4.extract_lane(i8x16.narrow_i16x8_s(words, words), 0));
    lost = addSquares(lost, f32x4.sub(x, f32x4.mul(step, f32x4.convert_i32x4_s(code))));
    const even = f32x4.add(f32x4.convert_i32x4_s(i32x4.shl(i32x4.shr_s(code, 1), 1)), half);
    // In the padding a query is zero, so the half step that stands there for zero does not count.
    if (i < job.dimensions) lostHalved = addSquares(lostHalved, f32x4.sub(x, f32x4.mul(step, even)));
  }
  error = f64x2.extract_lane(lost, 0) + f64x2.extract_lane(lost, 1);
  halved = f64x2.extract_lane(lostHalved, 0) + f64x2.extract_lane(lostHalved, 1);
  sum = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1)
    + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3);
  store<i32>(segment.sums + (row << 2), sum);
  raise(measures + 4, sqrt(error));
  raise(measures + 8, sqrt(halved));
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
  raise(measures + 4, sqrt(error));
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
  query.norm = <f32>sqrt(squared);
  const top = largest(query.vector, padded);
  if (job.format === formatF32) {
    query.fineBound = bound(job, squared, 0, 0);
    query.coarseBound = query.fineBound;
    return true;
  }
  // As many steps as keep the sum of all products within 31 bits.
  const levels: u32 = job.format === formatInt8 ? min<u32>(8191, 0x7fffffff / (127 * padded)) : 127;
  query.fineScale = top < smallest ? 0 : top / <f32>levels;
  const inverse: f32 = top < smallest ? 0 : <f32>levels / top;
  let error: f64 = 0;
  let sum: i32 = 0;
  for (let i: u32 = 0; i < padded; i++) {
    const x = load<f32>(query.vector + (i << 2));
    const code = <i32>nearest(x * inverse);
    const lost = <f64>(x - query.fineScale * <f32>code);
    error += lost * lost;
    sum += code;
    if (!relaxed) store<i16>(query.fine + (i << 1), code);
    else if (job.format === formatInt4) store<i8>(query.fine + i, code);
    else {
      const at = query.fine + ((i >> 4) << 5) + (i & 15);
      store<u8>(at, (code >> 7) + 64);
      store<u8>(at, code & 127, 16);
    }
  }
  query.fineSum = sum;
  query.fineBound = bound(job, squared, error, job.error);
  query.coarseBound = query.fineBound;
  if (relaxed && job.format === formatInt8) encodeCoarse(job, query, squared, top);
  return true;
}

function encodeCoarse(job: Job, query: Query, squared: f64, top: f32): void {
  const seven = job.variant === bySevenBits;
  const levels: f32 = seven ? 63 : 31;
  const offset = seven ? 64 : 32;
  query.coarseScale = top < smallest ? 0 : top / levels;
  const inverse: f32 = top < smallest ? 0 : levels / top;
  let error: f64 = 0;
  let sum: i32 = 0;
  for (let i: u32 = 0; i < job.padded; i++) {
    const x = load<f32>(query.vector + (i << 2));
    const code = <i32>nearest(x * inverse);
    const lost = <f64>(x - query.coarseScale * <f32>code);
    error += lost * lost;
    sum += code;
    store<u8>(query.coarse + i, code + offset);
  }
  query.coarseSum = sum;
  query.coarseBound = bound(job, squared, error, job.variant === bySixBits ? job.halvedError : job.error);
}

/**
 * With q = q̂ + e and r = r̂ + f: |q·r − q̂·r̂| ≤ |q||f| + |e|(|r| + |f|) (Cauchy–Schwarz), and the roundings of the canonical
 * score, of the approximate one and of an aggregate of two, each in float32 (Higham 2002, §3.1), with room. The last term is
 * for numbers too small to be rounded relatively.
 */
function bound(job: Job, squared: f64, squaredError: f64, rowError: f32): f32 {
  const norm = sqrt(squared);
  const error = sqrt(squaredError) * 1.00001;
  const row = <f64>job.norm;
  const rounding = (<f64>job.padded / 4 + 32) * (1.0 / 8388608.0);
  const codes = norm * rowError + error * (row + rowError);
  return <f32>(codes * 1.00001 + rounding * (norm + error) * (row + rowError) + 1e-35);
}

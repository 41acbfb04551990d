/** Inner products of vectors padded with zeros to whole blocks of 64 coordinates. */

export const relaxed: bool = ASC_FEATURE_RELAXED_SIMD;

/** The definition of a score (canonical.ts): never fused, sixteen partial sums, the same tree. */
export function canonical(a: usize, b: usize, padded: u32): f32 {
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  const end = a + (padded << 2);
  do {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
    s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
    a += 64;
    b += 64;
  } while (a !== end);
  return tree(s0, s1, s2, s3);
}

/** The same sums, fused where the machine can: near the canonical score, not always equal. */
export function quick(a: usize, b: usize, padded: u32): f32 {
  if (!relaxed) return canonical(a, b, padded);
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  const end = a + (padded << 2);
  do {
    s0 = multiplyAdd(v128.load(a), v128.load(b), s0);
    s1 = multiplyAdd(v128.load(a, 16), v128.load(b, 16), s1);
    s2 = multiplyAdd(v128.load(a, 32), v128.load(b, 32), s2);
    s3 = multiplyAdd(v128.load(a, 48), v128.load(b, 48), s3);
    a += 64;
    b += 64;
  } while (a !== end);
  return tree(s0, s1, s2, s3);
}

@inline
function tree(s0: v128, s1: v128, s2: v128, s3: v128): f32 {
  const lanes = f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3));
  return (
    f32x4.extract_lane(lanes, 0) +
    f32x4.extract_lane(lanes, 1) +
    (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3))
  );
}

@inline
export function multiplyAdd(a: v128, b: v128, sum: v128): v128 {
  if (relaxed) return f32x4.relaxed_madd(a, b, sum);
  return f32x4.add(sum, f32x4.mul(a, b));
}

/**
 * int8 row × 14-bit query, the exact integer. The query is int16, or, `fused`, q = 128·h + l stored as blocks of 16 bytes h + 64
 * and 16 bytes l, both below 128; `sum`, the sum of the row's codes, takes the 64 out again. Two products of 7-bit
 * numbers fit 16 bits, so nothing saturates on machines that add them there.
 */
@inline
export function fineDot(row: usize, query: usize, padded: u32, sum: i32, fused: bool): i32 {
  let s0 = i32x4.splat(0);
  let s1 = s0;
  const end = row + padded;
  if (relaxed && fused) {
    do {
      const codes = v128.load(row);
      s0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(codes, v128.load(query), s0);
      s1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(codes, v128.load(query, 16), s1);
      row += 16;
      query += 32;
    } while (row !== end);
    return ((sumOfI32(s0) - (sum << 6)) << 7) + sumOfI32(s1);
  }
  do {
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(v128.load8x8_s(row), v128.load(query)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(v128.load8x8_s(row, 8), v128.load(query, 16)));
    row += 16;
    query += 32;
  } while (row !== end);
  return sumOfI32(i32x4.add(s0, s1));
}

/** int8 row × 7-bit query, whose codes are made positive by 64: half the work of a fine product, an eighth of its precision. */
@inline
export function coarseDot(row: usize, query: usize, padded: u32, sum: i32): i32 {
  const ones = i16x8.splat(1);
  let s0 = i32x4.splat(0);
  let s1 = s0;
  const end = row + padded;
  do {
    s0 = addPairs(s0, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(row), v128.load(query)), ones);
    s1 = addPairs(s1, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(row, 16), v128.load(query, 16)), ones);
    s0 = addPairs(s0, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(row, 32), v128.load(query, 32)), ones);
    s1 = addPairs(s1, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(row, 48), v128.load(query, 48)), ones);
    row += 64;
    query += 64;
  } while (row !== end);
  return sumOfI32(i32x4.add(s0, s1)) - (sum << 6);
}

/**
 * 4-bit row × 8-bit query: codes 0–15 stand for −8–7, in blocks of 32 coordinates whose first half is in the low
 * nibbles; `querySum` takes the 8 out again. Base: the query is int16.
 */
@inline
export function nibbleDot(row: usize, query: usize, padded: u32, querySum: i32): i32 {
  const low = i8x16.splat(15);
  const end = row + (padded >> 1);
  let s0 = i32x4.splat(0);
  if (relaxed) {
    const ones = i16x8.splat(1);
    do {
      const x = v128.load(row);
      const y = v128.load(row, 16);
      let a = i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(query), v128.and(x, low));
      let b = i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(query, 16), i8x16.shr_u(x, 4));
      a = i16x8.add(a, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(query, 32), v128.and(y, low)));
      b = i16x8.add(b, i16x8.relaxed_dot_i8x16_i7x16_s(v128.load(query, 48), i8x16.shr_u(y, 4)));
      s0 = addPairs(s0, i16x8.add(a, b), ones);
      row += 32;
      query += 64;
    } while (row !== end);
    return sumOfI32(s0) - (querySum << 3);
  }
  let s1 = s0;
  do {
    const x = v128.load(row);
    const a = v128.and(x, low);
    const b = i8x16.shr_u(x, 4);
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(a), v128.load(query)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(a), v128.load(query, 16)));
    s0 = i32x4.add(s0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(b), v128.load(query, 32)));
    s1 = i32x4.add(s1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(b), v128.load(query, 48)));
    row += 16;
    query += 64;
  } while (row !== end);
  return sumOfI32(i32x4.add(s0, s1)) - (querySum << 3);
}

/** Adds neighbouring 16-bit numbers into 32 bits. */
@inline
export function addPairs(sum: v128, products: v128, ones: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(products, ones));
}

@inline
export function sumOfI32(lanes: v128): i32 {
  const halves = i32x4.add(lanes, i32x4.shuffle(lanes, lanes, 2, 3, 0, 1));
  return i32x4.extract_lane(halves, 0) + i32x4.extract_lane(halves, 1);
}

/** The lane sums of four accumulators, one a lane. */
@inline
export function sumsOfF32(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(i32x4.shuffle(c, d, 0, 4, 1, 5), i32x4.shuffle(c, d, 2, 6, 3, 7));
  return f32x4.add(i32x4.shuffle(ab, cd, 0, 1, 4, 5), i32x4.shuffle(ab, cd, 2, 3, 6, 7));
}

@inline
export function sumsOfI32(a: v128, b: v128, c: v128, d: v128): v128 {
  return joinSums(halfSums(a, b), halfSums(c, d));
}

/** Two accumulators half summed, for `joinSums`. */
@inline
export function halfSums(a: v128, b: v128): v128 {
  return i32x4.add(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
}

@inline
export function joinSums(ab: v128, cd: v128): v128 {
  return i32x4.add(i32x4.shuffle(ab, cd, 0, 1, 4, 5), i32x4.shuffle(ab, cd, 2, 3, 6, 7));
}

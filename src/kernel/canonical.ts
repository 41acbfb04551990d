/**
 * The one definition of a score. Sixteen partial sums in float32, coordinate j adding to sum j mod 16, every product
 * and every sum rounded to float32, then a fixed tree. This is what four SIMD accumulators of four lanes
 * compute without fused multiply-add, so WebAssembly repeats it bit for bit.
 */
export function canonicalScore(
  a: Float32Array,
  aStart: number,
  b: Float32Array,
  bStart: number,
  dimensions: number,
): number {
  const round = Math.fround;
  let s0 = round(0);
  let s1 = round(0);
  let s2 = round(0);
  let s3 = round(0);
  let s4 = round(0);
  let s5 = round(0);
  let s6 = round(0);
  let s7 = round(0);
  let s8 = round(0);
  let s9 = round(0);
  let s10 = round(0);
  let s11 = round(0);
  let s12 = round(0);
  let s13 = round(0);
  let s14 = round(0);
  let s15 = round(0);
  const whole = dimensions & ~15;
  let i = 0;
  for (; i < whole; i += 16) {
    const p = aStart + i;
    const q = bStart + i;
    s0 = round(s0 + round(a[p] * b[q]));
    s1 = round(s1 + round(a[p + 1] * b[q + 1]));
    s2 = round(s2 + round(a[p + 2] * b[q + 2]));
    s3 = round(s3 + round(a[p + 3] * b[q + 3]));
    s4 = round(s4 + round(a[p + 4] * b[q + 4]));
    s5 = round(s5 + round(a[p + 5] * b[q + 5]));
    s6 = round(s6 + round(a[p + 6] * b[q + 6]));
    s7 = round(s7 + round(a[p + 7] * b[q + 7]));
    s8 = round(s8 + round(a[p + 8] * b[q + 8]));
    s9 = round(s9 + round(a[p + 9] * b[q + 9]));
    s10 = round(s10 + round(a[p + 10] * b[q + 10]));
    s11 = round(s11 + round(a[p + 11] * b[q + 11]));
    s12 = round(s12 + round(a[p + 12] * b[q + 12]));
    s13 = round(s13 + round(a[p + 13] * b[q + 13]));
    s14 = round(s14 + round(a[p + 14] * b[q + 14]));
    s15 = round(s15 + round(a[p + 15] * b[q + 15]));
  }
  // The remaining coordinates, as though both vectors went on with zeros.
  const at = (lane: number) =>
    i + lane < dimensions ? round(a[aStart + i + lane] * b[bStart + i + lane]) : round(0);
  if (i < dimensions) {
    s0 = round(s0 + at(0));
    s1 = round(s1 + at(1));
    s2 = round(s2 + at(2));
    s3 = round(s3 + at(3));
    s4 = round(s4 + at(4));
    s5 = round(s5 + at(5));
    s6 = round(s6 + at(6));
    s7 = round(s7 + at(7));
    s8 = round(s8 + at(8));
    s9 = round(s9 + at(9));
    s10 = round(s10 + at(10));
    s11 = round(s11 + at(11));
    s12 = round(s12 + at(12));
    s13 = round(s13 + at(13));
    s14 = round(s14 + at(14));
  }
  const l0 = round(round(s0 + s4) + round(s8 + s12));
  const l1 = round(round(s1 + s5) + round(s9 + s13));
  const l2 = round(round(s2 + s6) + round(s10 + s14));
  const l3 = round(round(s3 + s7) + round(s11 + s15));
  return round(round(l0 + l1) + round(l2 + l3));
}

/**
 * A document's score from its original key's and its best generated key's, −Infinity where it has none
 * (design.md §5), rounded to float32 at every step so that all implementations agree.
 */
export function aggregateScore(original: number, generated: number, blend: number): number {
  if (original === -Infinity) return generated;
  if (!(generated > original)) return original;
  if (blend === 1) return generated;
  const gain = Math.fround(Math.fround(generated) - Math.fround(original));
  return Math.fround(Math.fround(original) + Math.fround(Math.fround(blend) * gain));
}

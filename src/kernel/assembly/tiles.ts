/**
 * A batch: two queries against the rows of a tile, four (or two) rows at a time. Eight accumulators and six operands
 * are what the sixteen vector registers hold; larger blocks spill in V8.
 */
import { addPairs, halfSums, joinSums, multiplyAdd, relaxed, sumOfI32, sumsOfF32, sumsOfI32 } from './dots';
import { Job, Query } from './structs';

export const byF32: u32 = 0;
/** 14-bit queries as int16: all that the base build has, and good for few rows. */
export const byInt16: u32 = 1;
/** 7-bit queries through the fused dot product: for machines that have it as one instruction (VNNI, ARM dot product). */
export const bySevenBits: u32 = 2;
/**
 * Queries of 6 bits, or nearly 7 where rows are not extreme, × 7-bit rows: eight products add up in 16 bits, which saves three of four
 * widenings on other machines.
 */
export const bySixBits: u32 = 3;

/** Codes of a query for `scoreSixBits` go so far in either direction, and are made positive by one more: no sum passes 16 bits. */
@inline
export function sixBitLevels(job: Job): i32 {
  const most = 32767 / max<i32>(<i32>job.peak, 1);
  return (min(most, 127) - 1) >> 1;
}

/**
 * Whether what a scan brings are scores of coarse codes, to be looked at again in fine ones. One query alone is scored in 7 bits where
 * a machine has no fused dot product, in 14 where it has.
 */
@inline
export function isCoarse(job: Job): bool {
  return relaxed && (job.variant === bySixBits || (job.variant === bySevenBits && !job.singly));
}

/** Fills 32 scores from `out` for the first query and 32 more for the second; groups without a bit in `mask` are left. */
export function scoreF32(a: Query, b: Query, rows: usize, padded: u32, count: u32, mask: u32, out: usize): void {
  const bytes = padded << 2;
  const q0 = a.vector;
  const q1 = b.vector;
  for (let row: u32 = 0; row < count; row += 4) {
    if ((mask >> row) & 15) {
      const k0 = rows + row * bytes;
      const k1 = k0 + bytes;
      const k2 = k1 + bytes;
      const k3 = k2 + bytes;
      let a0 = f32x4.splat(0);
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = a0;
      let b1 = a0;
      let b2 = a0;
      let b3 = a0;
      for (let i: u32 = 0; i < bytes; i += 16) {
        const x = v128.load(q0 + i);
        const y = v128.load(q1 + i);
        const w0 = v128.load(k0 + i);
        const w1 = v128.load(k1 + i);
        const w2 = v128.load(k2 + i);
        const w3 = v128.load(k3 + i);
        a0 = multiplyAdd(x, w0, a0);
        a1 = multiplyAdd(x, w1, a1);
        a2 = multiplyAdd(x, w2, a2);
        a3 = multiplyAdd(x, w3, a3);
        b0 = multiplyAdd(y, w0, b0);
        b1 = multiplyAdd(y, w1, b1);
        b2 = multiplyAdd(y, w2, b2);
        b3 = multiplyAdd(y, w3, b3);
      }
      v128.store(out + (row << 2), sumsOfF32(a0, a1, a2, a3));
      v128.store(out + (row << 2), sumsOfF32(b0, b1, b2, b3), 128);
    }
  }
}

export function scoreInt16(a: Query, b: Query, rows: usize, scales: usize, padded: u32, mask: u32, out: usize): void {
  for (let row: u32 = 0; row < 32; row += 4) {
    if ((mask >> row) & 15) {
      const k0 = rows + row * padded;
      const k1 = k0 + padded;
      const k2 = k1 + padded;
      const k3 = k2 + padded;
      let q0 = a.fine;
      let q1 = b.fine;
      let a0 = i32x4.splat(0);
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = a0;
      let b1 = a0;
      let b2 = a0;
      let b3 = a0;
      for (let i: u32 = 0; i < padded; i += 8) {
        const x = v128.load(q0);
        const y = v128.load(q1);
        const w0 = v128.load8x8_s(k0 + i);
        const w1 = v128.load8x8_s(k1 + i);
        const w2 = v128.load8x8_s(k2 + i);
        const w3 = v128.load8x8_s(k3 + i);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(w0, x));
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(w1, x));
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(w2, x));
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(w3, x));
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(w0, y));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(w1, y));
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(w2, y));
        b3 = i32x4.add(b3, i32x4.dot_i16x8_s(w3, y));
        q0 += 16;
        q1 += 16;
      }
      const steps = v128.load(scales + (row << 2));
      store4(out + (row << 2), sumsOfI32(a0, a1, a2, a3), steps, a.fineScale);
      store4(out + (row << 2) + 128, sumsOfI32(b0, b1, b2, b3), steps, b.fineScale);
    }
  }
}

export function scoreSevenBits(
  a: Query, b: Query, rows: usize, scales: usize, sums: usize, padded: u32, mask: u32, out: usize,
): void {
  const q0 = a.coarse;
  const q1 = b.coarse;
  for (let row: u32 = 0; row < 32; row += 4) {
    if ((mask >> row) & 15) {
      const k0 = rows + row * padded;
      const k1 = k0 + padded;
      const k2 = k1 + padded;
      const k3 = k2 + padded;
      let a0 = i32x4.splat(0);
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = a0;
      let b1 = a0;
      let b2 = a0;
      let b3 = a0;
      for (let i: u32 = 0; i < padded; i += 16) {
        const x = v128.load(q0 + i);
        const y = v128.load(q1 + i);
        const w0 = v128.load(k0 + i);
        const w1 = v128.load(k1 + i);
        const w2 = v128.load(k2 + i);
        const w3 = v128.load(k3 + i);
        a0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w0, x, a0);
        a1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w1, x, a1);
        a2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w2, x, a2);
        a3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w3, x, a3);
        b0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w0, y, b0);
        b1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w1, y, b1);
        b2 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w2, y, b2);
        b3 = i32x4.relaxed_dot_i8x16_i7x16_add_s(w3, y, b3);
      }
      const steps = v128.load(scales + (row << 2));
      const offset = i32x4.shl(v128.load(sums + (row << 2)), 6);
      store4(out + (row << 2), i32x4.sub(sumsOfI32(a0, a1, a2, a3), offset), steps, a.coarseScale);
      store4(out + (row << 2) + 128, i32x4.sub(sumsOfI32(b0, b1, b2, b3), offset), steps, b.coarseScale);
    }
  }
}

/** `rows` are halved codes c >> 1, standing for 2·(c >> 1) + ½; `offsets` the query's offset times the sum of each row's. */
export function scoreSixBits(
  a: Query, b: Query, rows: usize, scales: usize, offsets: usize, padded: u32, mask: u32, out: usize,
): void {
  const ones = i16x8.splat(1);
  // Two rows at a time: four running 16-bit sums and four accumulators stay in registers; sums of the first two wait in memory.
  for (let row: u32 = 0; row < 32; row += 2) {
    if ((mask >> (row & 28)) & 15) {
      let a0 = i32x4.splat(0);
      let a1 = a0;
      let b0 = a0;
      let b1 = a0;
      let k0 = rows + row * padded;
      let k1 = k0 + padded;
      let q0 = a.coarse;
      let q1 = b.coarse;
      const end = k1;
      do {
        let x = v128.load(q0);
        let y = v128.load(q1);
        let w = v128.load(k0);
        let x0 = i16x8.relaxed_dot_i8x16_i7x16_s(w, x);
        let y0 = i16x8.relaxed_dot_i8x16_i7x16_s(w, y);
        w = v128.load(k1);
        let x1 = i16x8.relaxed_dot_i8x16_i7x16_s(w, x);
        let y1 = i16x8.relaxed_dot_i8x16_i7x16_s(w, y);
        x = v128.load(q0, 16);
        y = v128.load(q1, 16);
        w = v128.load(k0, 16);
        x0 = i16x8.add(x0, i16x8.relaxed_dot_i8x16_i7x16_s(w, x));
        y0 = i16x8.add(y0, i16x8.relaxed_dot_i8x16_i7x16_s(w, y));
        w = v128.load(k1, 16);
        x1 = i16x8.add(x1, i16x8.relaxed_dot_i8x16_i7x16_s(w, x));
        y1 = i16x8.add(y1, i16x8.relaxed_dot_i8x16_i7x16_s(w, y));
        x = v128.load(q0, 32);
        y = v128.load(q1, 32);
        w = v128.load(k0, 32);
        x0 = i16x8.add(x0, i16x8.relaxed_dot_i8x16_i7x16_s(w, x));
        y0 = i16x8.add(y0, i16x8.relaxed_dot_i8x16_i7x16_s(w, y));
        w = v128.load(k1, 32);
        x1 = i16x8.add(x1, i16x8.relaxed_dot_i8x16_i7x16_s(w, x));
        y1 = i16x8.add(y1, i16x8.relaxed_dot_i8x16_i7x16_s(w, y));
        x = v128.load(q0, 48);
        y = v128.load(q1, 48);
        w = v128.load(k0, 48);
        a0 = addPairs(a0, i16x8.add(x0, i16x8.relaxed_dot_i8x16_i7x16_s(w, x)), ones);
        b0 = addPairs(b0, i16x8.add(y0, i16x8.relaxed_dot_i8x16_i7x16_s(w, y)), ones);
        w = v128.load(k1, 48);
        a1 = addPairs(a1, i16x8.add(x1, i16x8.relaxed_dot_i8x16_i7x16_s(w, x)), ones);
        b1 = addPairs(b1, i16x8.add(y1, i16x8.relaxed_dot_i8x16_i7x16_s(w, y)), ones);
        q0 += 64;
        q1 += 64;
        k0 += 64;
        k1 += 64;
      } while (k0 !== end);
      const place = out + ((row & 28) << 2);
      const aHalf = halfSums(a0, a1);
      const bHalf = halfSums(b0, b1);
      if ((row & 2) === 0) {
        v128.store(place, aHalf);
        v128.store(place, bHalf, 128);
        continue;
      }
      const steps = f32x4.mul(v128.load(scales + ((row & 28) << 2)), f32x4.splat(0.5));
      const offset = v128.load(offsets + ((row & 28) << 2));
      const x = i32x4.shl(i32x4.sub(joinSums(v128.load(place), aHalf), offset), 2);
      const y = i32x4.shl(i32x4.sub(joinSums(v128.load(place, 128), bHalf), offset), 2);
      store4(place, i32x4.add(x, i32x4.splat(a.coarseSum)), steps, a.coarseScale);
      store4(place + 128, i32x4.add(y, i32x4.splat(b.coarseSum)), steps, b.coarseScale);
    }
  }
}

/** Halves the codes of 32 rows for `scoreSixBits`, and sums them. */
export function halveTile(rows: usize, count: u32, padded: u32, offset: i32, halved: usize, offsets: usize): void {
  for (let row: u32 = 0; row < count; row++) {
    let sum = i32x4.splat(0);
    const end = rows + padded;
    do {
      const half = i8x16.shr_s(v128.load(rows), 1);
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(half)));
      v128.store(halved, half);
      rows += 16;
      halved += 16;
    } while (rows !== end);
    store<i32>(offsets + (row << 2), sumOfI32(sum) * offset);
  }
}

@inline
export function store4(out: usize, sums: v128, steps: v128, scale: f32): void {
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(sums), f32x4.mul(steps, f32x4.splat(scale))));
}

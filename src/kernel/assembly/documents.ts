/**
 * Documents by the aggregate of their keys (design.md §5): a scan leaves, per document, the best score of its original
 * and of its generated keys; one pass over these offers every document whose aggregate could be among the best.
 */
import { canonicalScore, offer } from './best';
import { Best, generatedBit, Job, mayAppear, none, Query, segmentOf, segmentRows, segmentShift } from './structs';

/** Takes the scores of up to 32 rows into the parts of their documents. */
export function addToDocuments(parts: usize, documents: usize, out: usize, mask: u32): void {
  for (; mask !== 0; mask &= mask - 1) {
    const at = ctz(mask) << 2;
    const document = load<u32>(documents + at);
    if (document === none) continue;
    const part = parts + ((document & ~generatedBit) << 3) + (document & generatedBit ? 4 : 0);
    store<f32>(part, max(load<f32>(part), load<f32>(out + at)));
  }
}

/** Offers documents from `from` to before `to`, multiples of four, and clears their parts for the next query. */
export function offerDocuments(job: Job, best: Best, parts: usize, from: u32, to: u32): void {
  const nothing = f32x4.splat(-Infinity);
  const zero = f32x4.splat(0);
  const blend = f32x4.splat(job.blend);
  for (let document = from; document < to; document += 4) {
    const at = parts + (document << 3);
    const first = v128.load(at);
    const second = v128.load(at, 16);
    v128.store(at, nothing);
    v128.store(at, nothing, 16);
    const original = i32x4.shuffle(first, second, 0, 2, 4, 6);
    const generated = i32x4.shuffle(first, second, 1, 3, 5, 7);
    const gain = f32x4.max(f32x4.sub(generated, original), zero);
    const scores = v128.bitselect(
      generated,
      f32x4.add(original, f32x4.mul(blend, gain)),
      f32x4.eq(original, nothing),
    );
    const candidates = v128.and(f32x4.gt(scores, nothing), f32x4.ge(scores, f32x4.splat(best.threshold - best.bound)));
    if (!v128.any_true(candidates)) continue;
    v128.store(job.scratch, scores);
    for (let mask: u32 = i32x4.bitmask(candidates); mask !== 0; mask &= mask - 1) {
      const lane = ctz(mask);
      offer(job, best, document + lane, load<f32>(job.scratch + (lane << 2)));
    }
  }
}

/** The canonical score of a document; `out`, if not 0, receives its parts and its best row. */
export function rescoreDocument(job: Job, query: Query, document: u32, out: usize): f32 {
  let original = -Infinity as f32;
  let generated = -Infinity as f32;
  let bestRow = none;
  for (let row = load<u32>(job.heads + (document << 2)); row !== none; ) {
    const segment = segmentOf(job, row);
    const at = row & (segmentRows - 1);
    if ((mayAppear(job, row >> segmentShift, segment.alive, at >> 5) >> (at & 31)) & 1) {
      const score = canonicalScore(job, query, row);
      const top = max(original, generated);
      if (score > top || (score === top && row < bestRow)) bestRow = row;
      if (load<u32>(segment.documents + (at << 2)) & generatedBit) generated = max(generated, score);
      else original = max(original, score);
    }
    row = load<u32>(segment.next + (at << 2));
  }
  if (out !== 0) {
    store<f32>(out, original);
    store<f32>(out, generated, 4);
    store<u32>(out, bestRow, 8);
  }
  if (original === -Infinity) return generated;
  if (!(generated > original)) return original;
  if (job.blend === 1) return generated;
  return original + job.blend * (generated - original);
}

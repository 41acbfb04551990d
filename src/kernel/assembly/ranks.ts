/** How many rows score at least as high as a given one: approximate scores decide nearly all, canonical ones the rest. */
import { canonicalScore, fineScore } from './best';
import { isCoarse } from './tiles';
import { Job, Query, Rank } from './structs';

/** Counts among up to 32 rows from number `first`, whose steps are at `scales`. */
export function countRanks(
  job: Job, rank: Rank, query: Query, scales: usize, out: usize, mask: u32, first: u32,
): void {
  const own = rank.own - first;
  if (own < 32) mask &= ~(1 << own);
  const bar = f32x4.splat(rank.bar);
  const bound = f32x4.splat(query.coarseBound);
  const slope = f32x4.splat(query.coarseSlope);
  for (let group: u32 = 0; group < 32; group += 4) {
    const here = (mask >> group) & 15;
    const scores = v128.load(out + (group << 2));
    const doubt = f32x4.add(bound, f32x4.mul(slope, v128.load(scales + (group << 2))));
    const likely = <u32>i32x4.bitmask(f32x4.ge(f32x4.add(scores, doubt), bar)) & here;
    if (likely === 0) continue;
    const certain = <u32>i32x4.bitmask(f32x4.gt(f32x4.sub(scores, doubt), bar)) & here;
    rank.count += popcnt(certain);
    for (let open = likely & ~certain; open !== 0; open &= open - 1) {
      const at = group + ctz(open);
      decide(job, rank, query, load<f32>(scales + (at << 2)), first + at);
    }
  }
}

function decide(job: Job, rank: Rank, query: Query, scale: f32, row: u32): void {
  if (isCoarse(job)) {
    const score = fineScore(job, query, row);
    const doubt = query.fineBound + query.fineSlope * scale;
    if (score + doubt < rank.bar) return;
    if (score - doubt > rank.bar) {
      rank.count++;
      return;
    }
  }
  if (job.exact) {
    if (canonicalScore(job, query, row) >= rank.bar) rank.count++;
    return;
  }
  if (rank.undecidedCount < rank.undecidedCapacity) store<u32>(rank.undecided + (rank.undecidedCount << 2), row);
  rank.undecidedCount++;
}

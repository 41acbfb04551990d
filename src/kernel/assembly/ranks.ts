/** How many rows score at least as high as a given one: approximate scores decide nearly all, canonical ones the rest. */
import { canonicalScore, fineScore } from './best';
import { formatInt8, Job, Query, Rank } from './structs';

/** Counts among up to 32 rows from number `first`; `bound` is that of their scores. */
export function countRanks(job: Job, rank: Rank, query: Query, bound: f32, out: usize, mask: u32, first: u32): void {
  const own = rank.own - first;
  if (own < 32) mask &= ~(1 << own);
  const high = f32x4.splat(rank.bar + bound);
  const low = f32x4.splat(rank.bar - bound);
  for (let group: u32 = 0; group < 32; group += 4) {
    const scores = v128.load(out + (group << 2));
    const here = (mask >> group) & 15;
    const likely = <u32>i32x4.bitmask(f32x4.ge(scores, low)) & here;
    if (likely === 0) continue;
    const certain = <u32>i32x4.bitmask(f32x4.gt(scores, high)) & here;
    rank.count += popcnt(certain);
    for (let open = likely & ~certain; open !== 0; open &= open - 1) {
      decide(job, rank, query, bound, first + group + ctz(open));
    }
  }
}

function decide(job: Job, rank: Rank, query: Query, bound: f32, row: u32): void {
  if (!job.exact) {
    if (rank.undecidedCount < rank.undecidedCapacity) {
      store<u32>(rank.undecided + (rank.undecidedCount << 2), row);
    }
    rank.undecidedCount++;
    return;
  }
  if (bound > query.fineBound && job.format === formatInt8) {
    const score = fineScore(job, query, row);
    if (score < rank.bar - query.fineBound) return;
    if (score > rank.bar + query.fineBound) {
      rank.count++;
      return;
    }
  }
  if (canonicalScore(job, query, row) >= rank.bar) rank.count++;
}

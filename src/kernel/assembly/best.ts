/**
 * The best k of a scan. No heap: what may be among them is appended, and when the buffer is full it is partitioned and the
 * bar raised to what k of them are sure to reach. Approximate scores carry a bound of their error; only at the
 * end, or when too many lie within it, are vectors read, so the answer is exact whatever the codes lost.
 *
 * An entry is 64 bits that sort as (score descending, number ascending): the score's bits made monotonic, the
 * complement of the number, and a last bit that says that the score is canonical.
 */
import { canonical, fineDot } from './dots';
import { rescoreDocument } from './documents';
import { bySevenBits, isCoarse } from './tiles';
import { Best, Job, Query, segmentOf, segmentRows } from './structs';

const largestNumber: u32 = 0x7fffffff;

@inline
function pack(number: u32, score: f32, isCanonical: u32): u64 {
  // Adding zero makes −0 and 0 one score.
  const bits = reinterpret<u32>(score + 0);
  const ordered = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  return (<u64>ordered << 32) | ((largestNumber - number) << 1) | isCanonical;
}

@inline
function scoreOf(entry: u64): f32 {
  const ordered = <u32>(entry >> 32);
  return reinterpret<f32>(ordered & 0x80000000 ? ordered ^ 0x80000000 : ~ordered);
}

@inline
function numberOf(entry: u64): u32 {
  return largestNumber - (<u32>entry >> 1);
}

@inline
function isCanonical(entry: u64): bool {
  return <bool>(<u32>entry & 1);
}

/** How far an approximate score may be from the canonical one, whatever the row: steps of single rows lie far apart in memory. */
function mostDoubt(job: Job, best: Best): f32 {
  if (job.kind !== 0) return best.bound;
  const query = changetype<Query>(best.query);
  return (query.fineBound + query.fineSlope * job.step) * 1.00001;
}

@inline
function leastOf(entry: u64, most: f32): f32 {
  return isCanonical(entry) ? scoreOf(entry) : scoreOf(entry) - most;
}

export function offer(job: Job, best: Best, number: u32, score: f32): void {
  push(job, best, pack(number, score, 0));
}

function push(job: Job, best: Best, entry: u64): void {
  store<u64>(best.entries + (best.count << 3), entry);
  best.count++;
  if (best.count < best.trigger) return;
  settle(job, best);
  const room = best.capacity - best.k >> 1;
  if (best.count > best.capacity - room) decide(job, best);
  // Soon again: a bar that lags lets rows through whose every look costs more than this.
  best.trigger = best.count + room;
}

/** Raises the bar, and drops what cannot reach it. */
function settle(job: Job, best: Best): void {
  const entries = best.entries;
  const k = best.k;
  if (best.count < k) return;
  select(entries, best.count, k);
  let bar = Infinity as f32;
  if (!job.exact) {
    // Without vectors nothing gets better than it is: the best k by fine codes are all there is to keep.
    for (let i: u32 = 0; i < k; i++) bar = min(bar, scoreOf(load<u64>(entries + (i << 3))));
    best.threshold = bar;
    best.count = k;
    return;
  }
  const most = mostDoubt(job, best);
  // The coarser the codes, the more rows they let through, and the nearer the bar should be: for a batch, vectors are read for that.
  const sharply = isCoarse(job) && !job.singly && job.kind === 0;
  for (let i: u32 = 0; i < k; i++) {
    let entry = load<u64>(entries + (i << 3));
    if (sharply && !isCanonical(entry)) {
      entry = pack(numberOf(entry), exactScore(job, best, numberOf(entry)), 1);
      store<u64>(entries + (i << 3), entry);
    }
    bar = min(bar, leastOf(entry, most));
  }
  best.threshold = max(best.threshold, bar);
  const limit = best.threshold - most;
  let kept = k;
  for (let i = k; i < best.count; i++) {
    const entry = load<u64>(entries + (i << 3));
    if (scoreOf(entry) >= limit) store<u64>(entries + (kept++ << 3), entry);
  }
  best.count = kept;
}

/** Leaves at most k entries, all canonical; the first k are the best so far, as `settle` leaves them. */
function decide(job: Job, best: Best): void {
  const entries = best.entries;
  const count = best.count;
  const most = mostDoubt(job, best);
  let kept: u32 = 0;
  let bar = Infinity as f32;
  for (let i: u32 = 0; i < count; i++) {
    let entry = load<u64>(entries + (i << 3));
    if (i === best.k) best.threshold = max(best.threshold, bar);
    if (scoreOf(entry) + (isCanonical(entry) ? 0 : most) < best.threshold) {
      bar = -Infinity;
      continue;
    }
    if (!isCanonical(entry)) entry = pack(numberOf(entry), exactScore(job, best, numberOf(entry)), 1);
    bar = min(bar, scoreOf(entry));
    store<u64>(entries + (kept++ << 3), entry);
  }
  best.count = kept;
  settle(job, best);
  best.count = min(best.count, best.k);
}

function exactScore(job: Job, best: Best, number: u32): f32 {
  const query = changetype<Query>(best.query);
  return job.kind !== 0 ? rescoreDocument(job, query, number, 0) : canonicalScore(job, query, number);
}

export function fineScore(job: Job, query: Query, row: u32): f32 {
  const segment = segmentOf(job, row);
  const at = row & (segmentRows - 1);
  const sum = load<i32>(segment.sums + (at << 2));
  const dot = fineDot(segment.codes + at * job.padded, query.fine, job.padded, sum, job.variant === bySevenBits);
  return <f32>dot * (load<f32>(segment.scales + (at << 2)) * query.fineScale);
}

export function canonicalScore(job: Job, query: Query, row: u32): f32 {
  const vector = segmentOf(job, row).vectors + (row & (segmentRows - 1)) * (job.padded << 2);
  return canonical(query.vector, vector, job.padded);
}

/** The best in order; their number is `best.count`. */
export function finish(job: Job, best: Best): void {
  settle(job, best);
  if (job.exact) decide(job, best);
  sort(best.entries, best.count);
}

/** Adds what another thread found. */
export function merge(job: Job, best: Best, other: Best): void {
  const most = mostDoubt(job, best);
  for (let i: u32 = 0; i < other.count; i++) {
    const entry = load<u64>(other.entries + (i << 3));
    if (scoreOf(entry) + most >= best.threshold) push(job, best, entry);
  }
}

/** Moves the k largest entries to the front. */
function select(entries: usize, count: u32, k: u32): void {
  let low: i32 = 0;
  let high: i32 = count - 1;
  const wanted: i32 = k - 1;
  while (low < high) {
    const pivot = median(entry(entries, low), entry(entries, (low + high) >> 1), entry(entries, high));
    let i = low;
    let j = high;
    while (i <= j) {
      while (entry(entries, i) > pivot) i++;
      while (entry(entries, j) < pivot) j--;
      if (i <= j) {
        const swapped = entry(entries, i);
        store<u64>(entries + (i << 3), entry(entries, j));
        store<u64>(entries + (j << 3), swapped);
        i++;
        j--;
      }
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else return;
  }
}

@inline
function entry(entries: usize, index: i32): u64 {
  return load<u64>(entries + (index << 3));
}

@inline
function median(a: u64, b: u64, c: u64): u64 {
  return max(min(a, b), min(max(a, b), c));
}

/** Shell sort, largest first: short, in place, and quick for what a search asks for. */
function sort(entries: usize, count: u32): void {
  let gap: i32 = 1;
  while (gap < <i32>count) gap = gap * 3 + 1;
  for (gap /= 3; gap > 0; gap /= 3) {
    for (let i = gap; i < <i32>count; i++) {
      const moved = entry(entries, i);
      let j = i;
      while (j >= gap && entry(entries, j - gap) < moved) {
        store<u64>(entries + (j << 3), entry(entries, j - gap));
        j -= gap;
      }
      store<u64>(entries + (j << 3), moved);
    }
  }
}

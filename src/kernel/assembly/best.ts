/**
 * The best k of a scan. No heap: what may be among them is appended, and when the buffer is full it is partitioned and the
 * bar raised. What was offered carries an approximate score; only entries that could decide the result are
 * looked at again with the canonical one, so the answer is exact whatever the codes lost.
 *
 * An entry is 64 bits that sort as (score descending, number ascending): the score's bits made monotonic, the
 * complement of the number, and a last bit that says that the score is canonical.
 */
import { canonical, fineDot } from './dots';
import { rescoreDocument } from './documents';
import { Best, formatInt8, Job, Query, segmentOf, segmentRows } from './structs';

const canonicalBit: u64 = 1;

@inline
function pack(number: u32, score: f32, isCanonical: u64): u64 {
  // Adding zero makes −0 and 0 one score.
  const bits = reinterpret<u32>(score + 0);
  const ordered = bits & 0x80000000 ? ~bits : bits | 0x80000000;
  return (<u64>ordered << 32) | (<u64>(0x7fffffff - number) << 1) | isCanonical;
}

@inline
function scoreOf(entry: u64): f32 {
  const ordered = <u32>(entry >> 32);
  return reinterpret<f32>(ordered & 0x80000000 ? ordered ^ 0x80000000 : ~ordered);
}

@inline
function numberOf(entry: u64): u32 {
  return 0x7fffffff - (<u32>entry >> 1);
}

export function offer(job: Job, best: Best, number: u32, score: f32): void {
  store<u64>(best.entries + (best.count << 3), pack(number, score, 0));
  best.count++;
  if (best.count === best.capacity) settle(job, best);
}

/** Raises the bar, and drops what is below it. */
function settle(job: Job, best: Best): void {
  const entries = best.entries;
  const k = best.k;
  select(entries, best.count, k);
  let lowest = Infinity as f32;
  for (let i: u32 = 0; i < k; i++) {
    let entry = load<u64>(entries + (i << 3));
    if (job.exact && !(entry & canonicalBit)) {
      entry = refined(job, best, numberOf(entry));
      store<u64>(entries + (i << 3), entry);
    }
    lowest = min(lowest, scoreOf(entry));
  }
  if (lowest > best.threshold) {
    best.threshold = lowest;
    best.limit = lowest - best.bound;
  }
  if (!job.exact) {
    best.count = k;
    return;
  }
  let kept = k;
  for (let i = k; i < best.count; i++) {
    const entry = load<u64>(entries + (i << 3));
    if (scoreOf(entry) >= (entry & canonicalBit ? best.threshold : best.limit)) {
      store<u64>(entries + (kept++ << 3), entry);
    }
  }
  best.count = kept;
  if (kept > best.capacity - (best.capacity >> 2)) refineAll(job, best);
}

/** Leaves at most k entries, all canonical. */
function refineAll(job: Job, best: Best): void {
  const entries = best.entries;
  let kept: u32 = 0;
  for (let i: u32 = 0; i < best.count; i++) {
    let entry = load<u64>(entries + (i << 3));
    if (!(entry & canonicalBit)) {
      const number = numberOf(entry);
      if (best.bound > changetype<Query>(best.query).fineBound && !nearEnough(job, best, number)) continue;
      entry = refined(job, best, number);
    }
    if (scoreOf(entry) >= best.threshold) store<u64>(entries + (kept++ << 3), entry);
  }
  best.count = kept;
  if (kept < best.k) return;
  select(entries, kept, best.k);
  best.count = best.k;
  let lowest = Infinity as f32;
  for (let i: u32 = 0; i < best.k; i++) lowest = min(lowest, scoreOf(load<u64>(entries + (i << 3))));
  best.threshold = lowest;
  best.limit = lowest - best.bound;
}

/** Whether the finer codes still leave the row a chance: four times fewer bytes than its vector. */
function nearEnough(job: Job, best: Best, row: u32): bool {
  if (job.kind !== 0 || job.format !== formatInt8) return true;
  const query = changetype<Query>(best.query);
  return fineScore(job, query, row) + query.fineBound >= best.threshold;
}

export function fineScore(job: Job, query: Query, row: u32): f32 {
  const segment = segmentOf(job, row);
  const at = row & (segmentRows - 1);
  const sum = load<i32>(segment.sums + (at << 2));
  const dot = fineDot(segment.codes + at * job.padded, query.fine, job.padded, sum);
  return <f32>dot * (load<f32>(segment.scales + (at << 2)) * query.fineScale);
}

function refined(job: Job, best: Best, number: u32): u64 {
  const query = changetype<Query>(best.query);
  const score = job.kind === 0 ? canonicalScore(job, query, number) : rescoreDocument(job, query, number, 0);
  return pack(number, score, canonicalBit);
}

export function canonicalScore(job: Job, query: Query, row: u32): f32 {
  const vector = segmentOf(job, row).vectors + (row & (segmentRows - 1)) * (job.padded << 2);
  return canonical(query.vector, vector, job.padded);
}

/** The best in order; their number is `best.count`. */
export function finish(job: Job, best: Best): void {
  if (best.count > best.k) settle(job, best);
  if (job.exact) refineAll(job, best);
  sort(best.entries, best.count);
}

/** Adds what another thread found. */
export function merge(job: Job, best: Best, other: Best): void {
  for (let i: u32 = 0; i < other.count; i++) {
    const entry = load<u64>(other.entries + (i << 3));
    const limit = entry & canonicalBit ? best.threshold : best.limit;
    if (scoreOf(entry) < limit) continue;
    store<u64>(best.entries + (best.count << 3), entry);
    best.count++;
    if (best.count === best.capacity) settle(job, best);
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

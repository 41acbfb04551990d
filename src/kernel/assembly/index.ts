/** What TypeScript calls. Addresses are unsigned: above 2 GiB they arrive in JavaScript as negative numbers. */
import { canonicalScore, finish, fineScore, merge } from './best';
import { encodeQuery, encodeRows } from './codes';
import { offerDocuments, rescoreDocument } from './documents';
import { nibbleDot } from './dots';
import { scan } from './scan';
import { bestAt, formatInt8, Job, Query, queryAt, rankAt, Segment, segmentOf, segmentRows } from './structs';

export { scan };

export function encode(job: usize, segment: usize, vectors: usize, from: u32, to: u32, measures: usize): i32 {
  return encodeRows(changetype<Job>(job), changetype<Segment>(segment), vectors, from, to, measures);
}

/** Prepares all queries of a job; returns the first that has no score, −1 if all have. */
export function prepare(job: Job): i32 {
  for (let q: u32 = 0; q < job.queryCount; q++) if (!encodeQuery(job, queryAt(job, q))) return q;
  return -1;
}

export function finishBest(job: Job): void {
  for (let q: u32 = 0; q < job.queryCount; q++) finish(job, bestAt(job, q));
}

/** Adds the bests of another thread's job to this one's. */
export function mergeBest(job: Job, other: Job): void {
  for (let q: u32 = 0; q < job.queryCount; q++) merge(job, bestAt(job, q), bestAt(other, q));
}

export function startRanks(job: Job): void {
  for (let q: u32 = 0; q < job.queryCount; q++) {
    const rank = rankAt(job, q);
    rank.bar = canonicalScore(job, queryAt(job, q), rank.own);
  }
}

export function collectDocuments(job: Job, q: u32, from: u32, to: u32): void {
  offerDocuments(job, bestAt(job, q), job.parts + q * (job.documentCount << 3), from, to);
}

/** Takes the larger of two threads' parts, from one document to before another, multiples of two; clears the other's. */
export function mergeParts(parts: usize, other: usize, from: u32, to: u32): void {
  const nothing = f32x4.splat(-Infinity);
  for (let at: usize = from << 3; at < <usize>(to << 3); at += 16) {
    v128.store(parts + at, f32x4.max(v128.load(parts + at), v128.load(other + at)));
    v128.store(other + at, nothing);
  }
}

/** Original and best generated score of a document, and its best row. */
export function describeDocument(job: Job, q: u32, document: u32, out: usize): void {
  rescoreDocument(job, queryAt(job, q), document, out);
}

/** Canonical scores of listed rows for each query, row-major. */
export function scoreRows(job: Job, rows: usize, count: u32, out: usize): void {
  for (let q: u32 = 0; q < job.queryCount; q++) {
    const query = queryAt(job, q);
    for (let i: u32 = 0; i < count; i++) {
      const row = load<u32>(rows + (i << 2));
      const at = row & (segmentRows - 1);
      const present = (load<u32>(segmentOf(job, row).alive + ((at >> 5) << 2)) >> (at & 31)) & 1;
      store<f32>(out, present ? canonicalScore(job, query, row) : -Infinity);
      out += 4;
    }
  }
}

/** Approximate scores of listed rows from the codes alone, as a single search sees them. */
export function approximate(job: Job, q: u32, rows: usize, count: u32, out: usize): void {
  const query = queryAt(job, q);
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(rows + (i << 2));
    store<f32>(out + (i << 2), job.format === formatInt8 ? fineScore(job, query, row) : nibbleScore(job, query, row));
  }
}

function nibbleScore(job: Job, query: Query, row: u32): f32 {
  const segment = segmentOf(job, row);
  const at = row & (segmentRows - 1);
  const dot = nibbleDot(segment.codes + at * (job.padded >> 1), query.fine, job.padded, query.fineSum);
  return <f32>dot * (load<f32>(segment.scales + (at << 2)) * query.fineScale);
}

/** Sum of a region, 64 bytes at a time: how fast this machine reads, for benchmarks. */
export function read(from: usize, bytes: usize): i32 {
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (const end = from + bytes; from !== end; from += 64) {
    a = v128.xor(a, v128.load(from));
    b = v128.xor(b, v128.load(from, 16));
    c = v128.xor(c, v128.load(from, 32));
    d = v128.xor(d, v128.load(from, 48));
  }
  return i32x4.bitmask(v128.xor(v128.xor(a, b), v128.xor(c, d)));
}

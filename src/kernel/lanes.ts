import { Region, type Arena } from './arena.ts';
import { bestWords, jobWords, purposes, rankWords } from './layout.ts';
import type { KernelExports } from './machine.ts';

/** Workers that have been started over the same memory and wait for work. */
export interface Crew {
  readonly size: number;
  dismiss(): void;
}

/** Words of the control block, written with atomics. */
export const controlWords = { turn: 0, next: 1, segments: 2, step: 3, purpose: 4, busy: 5, jobs: 6 } as const;

/** The most workers: each wants a core, and memory bandwidth ends before cores do. */
export const mostLanes = 8;

/**
 * Shares the segments of a scan out to workers over shared memory. Each has a copy of the job with its own buffers; all take the
 * next segments from one counter until there are none; then what they found is merged. Since every order is total,
 * who scanned what does not show.
 */
export class Lanes {
  /** Address of the control block. */
  readonly control: number;
  count = 0;
  private crew: Crew | undefined;
  private readonly buffers: {
    bests: Region;
    entries: Region;
    ranks: Region;
    parts: LaneParts;
    job: number;
  }[] = [];
  private readonly scratches: number[] = [];

  constructor(
    private readonly arena: Arena,
    private readonly exports: KernelExports,
    private readonly job: number,
    private readonly scratchBytes: number,
    /** Milliseconds after which a worker that has not come back is given up. */
    private readonly patience = 10_000,
  ) {
    this.control = arena.allocate(64 + mostLanes * 4);
  }

  join(crew: Crew | undefined): void {
    if (!crew) return;
    this.crew = crew;
    for (let lane = 0; lane < crew.size; lane++) {
      const job = this.arena.allocate(jobWords.size * 4);
      this.scratches.push(this.arena.allocate(this.scratchBytes));
      this.buffers.push({
        bests: new Region(this.arena),
        entries: new Region(this.arena),
        ranks: new Region(this.arena),
        parts: new LaneParts(this.arena),
        job,
      });
      this.arena.u32[(this.control >>> 2) + controlWords.jobs + lane] = job;
    }
    this.count = crew.size;
  }

  dismiss(): void {
    this.crew?.dismiss();
    this.crew = undefined;
    this.count = 0;
  }

  /** Waking workers costs tens of microseconds. */
  worthwhile(segments: number, queries: number): boolean {
    return this.count > 0 && segments > 1 && segments * queries >= 48;
  }

  /** False where a worker did not come back: then nothing of the scan may be used, and the workers are dismissed. */
  scan(purpose: number, segments: number, step: number): boolean {
    for (let lane = 0; lane < this.count; lane++) this.equip(lane, purpose);
    const control = new Int32Array(this.arena.memory.buffer, this.control, 16);
    Atomics.store(control, controlWords.next, 0);
    Atomics.store(control, controlWords.segments, segments);
    Atomics.store(control, controlWords.step, step);
    Atomics.store(control, controlWords.purpose, purpose);
    Atomics.store(control, controlWords.busy, this.count);
    Atomics.add(control, controlWords.turn, 1);
    Atomics.notify(control, controlWords.turn);
    takeSegments(control, this.exports, this.job);
    if (!this.allCameBack(control)) {
      this.dismiss();
      return false;
    }
    for (let lane = 0; lane < this.count; lane++) this.gather(lane, purpose);
    return true;
  }

  /** The page may not block, but what is left to wait for is at most one piece of work: it looks until it is done. */
  private allCameBack(control: Int32Array): boolean {
    const end = performance.now() + this.patience;
    for (let busy = Atomics.load(control, controlWords.busy); busy > 0;) {
      if (performance.now() > end) return false;
      if (mayBlock()) Atomics.wait(control, controlWords.busy, busy, 100);
      busy = Atomics.load(control, controlWords.busy);
    }
    return true;
  }

  /** Copies the job for a lane, with buffers of its own. */
  private equip(lane: number, purpose: number): void {
    const { bests, entries, ranks, parts, job } = this.buffers[lane];
    const own = this.job >>> 2;
    const count = this.arena.u32[own + jobWords.queryCount];
    const capacity = this.arena.u32[(this.arena.u32[own + jobWords.bests] >>> 2) + bestWords.capacity];
    const bestAt = bests.at(count * bestWords.size * 4);
    const rankAt = ranks.at(count * rankWords.size * 4);
    const entryAt = purpose === purposes.best ? entries.at(count * capacity * 8) : 0;
    const documentBytes = count * this.arena.u32[own + jobWords.documentCount] * 8;
    const partAt = purpose === purposes.documents ? parts.at(documentBytes) : 0;
    const { u32 } = this.arena;
    const at = job >>> 2;
    u32.copyWithin(at, own, own + jobWords.size);
    if (purpose === purposes.best) {
      copyStructures(u32, u32[own + jobWords.bests], bestAt, count * bestWords.size);
      for (let q = 0; q < count; q++) {
        u32[(bestAt >>> 2) + q * bestWords.size + bestWords.entries] = entryAt + q * capacity * 8;
      }
    }
    if (purpose === purposes.ranks)
      copyStructures(u32, u32[own + jobWords.ranks], rankAt, count * rankWords.size);
    u32[at + jobWords.bests] = bestAt;
    u32[at + jobWords.ranks] = rankAt;
    u32[at + jobWords.parts] = partAt;
    u32[at + jobWords.scratch] = this.scratches[lane];
  }

  private gather(lane: number, purpose: number): void {
    const { job } = this.buffers[lane];
    const { u32 } = this.arena;
    const own = this.job >>> 2;
    const count = u32[own + jobWords.queryCount];
    if (purpose === purposes.best) this.exports.mergeBest(this.job, job);
    if (purpose === purposes.ranks) {
      const mine = u32[own + jobWords.ranks] >>> 2;
      const theirs = u32[(job >>> 2) + jobWords.ranks] >>> 2;
      for (let q = 0; q < count; q++) {
        const at = q * rankWords.size + rankWords.count;
        u32[mine + at] += u32[theirs + at];
      }
    }
    if (purpose === purposes.documents) {
      const parts = count * u32[own + jobWords.documentCount];
      this.exports.mergeParts(u32[own + jobWords.parts], u32[(job >>> 2) + jobWords.parts], 0, parts);
    }
  }
}

/** Parts of documents: −Infinity before each use, and merging leaves them so. */
class LaneParts {
  private start = 0;
  private bytes = 0;

  constructor(private readonly arena: Arena) {}

  at(bytes: number): number {
    if (bytes > this.bytes) {
      this.bytes = Math.max(64, bytes, 2 * this.bytes);
      this.start = this.arena.allocate(this.bytes);
      this.arena.f32.fill(-Infinity, this.start >>> 2, (this.start + this.bytes) >>> 2);
    }
    return this.start;
  }
}

function copyStructures(u32: Uint32Array, from: number, to: number, words: number): void {
  u32.copyWithin(to >>> 2, from >>> 2, (from >>> 2) + words);
}

/** Scans the next segments, and the next, until there are none. */
export function takeSegments(control: Int32Array, exports: KernelExports, job: number): void {
  const step = Atomics.load(control, controlWords.step);
  const purpose = Atomics.load(control, controlWords.purpose);
  const segments = Atomics.load(control, controlWords.segments);
  for (;;) {
    const from = Atomics.add(control, controlWords.next, step);
    if (from >= segments) return;
    exports.scan(job, purpose, from, Math.min(from + step, segments));
  }
}

let blocking: boolean | undefined;

/** Whether this thread may wait: workers may, pages may not. */
function mayBlock(): boolean {
  if (blocking === undefined) {
    try {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
      blocking = true;
    } catch {
      blocking = false;
    }
  }
  return blocking;
}

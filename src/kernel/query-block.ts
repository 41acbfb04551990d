import { unusableVector } from './arguments.ts';
import { Region, type Arena } from './arena.ts';
import { bestWords, jobWords, queryWords, rankWords } from './layout.ts';
import type { KernelExports } from './machine.ts';

/** Queries that are scored together; more would fall out of the second-level cache. */
export const blockQueries = 128;

/** Below this, preparing a tile for a batch costs more than it saves. */
export const fewQueries = 3;

const view = new Float32Array(1);
const bits = new Uint32Array(view.buffer);

/** Room for a block of queries and for what is found for each, reused from call to call. */
export class QueryBlock {
  private readonly vectors: Region;
  private readonly structures: Region;
  private readonly bests: Region;
  private readonly ranks: Region;
  private readonly entries: Region;
  private readonly lists: Region;

  constructor(
    private readonly arena: Arena,
    private readonly exports: KernelExports,
    private readonly dimensions: number,
    private readonly padded: number,
    readonly job: number,
    /** 4-bit rows have no kernel for batches: a tile of them is small enough to be read by one query after another. */
    private readonly alwaysSingly: boolean,
  ) {
    this.vectors = new Region(arena);
    this.structures = new Region(arena);
    this.bests = new Region(arena);
    this.ranks = new Region(arena);
    this.entries = new Region(arena);
    this.lists = new Region(arena);
  }

  /** Copies queries `first` to before `first + count`, pads and encodes them; refuses those without a score. */
  load(queries: Float32Array, first: number, count: number): void {
    const { dimensions, padded, job } = this;
    const bytes = padded * 7;
    const vectors = this.vectors.at(count * bytes);
    const structures = this.structures.at(count * queryWords.size * 4);
    const { u32, f32 } = this.arena;
    for (let q = 0; q < count; q++) {
      const vector = vectors + q * bytes;
      const at = vector >>> 2;
      f32.set(queries.subarray((first + q) * dimensions, (first + q + 1) * dimensions), at);
      f32.fill(0, at + dimensions, at + padded);
      const query = (structures >>> 2) + q * queryWords.size;
      u32[query + queryWords.vector] = vector;
      u32[query + queryWords.fine] = vector + padded * 4;
      u32[query + queryWords.coarse] = vector + padded * 6;
    }
    u32[(job >>> 2) + jobWords.queries] = structures;
    u32[(job >>> 2) + jobWords.queryCount] = count;
    u32[(job >>> 2) + jobWords.singly] = this.alwaysSingly || count < fewQueries ? 1 : 0;
    const bad = this.exports.prepare(job);
    if (bad >= 0) throw unusableVector(first + bad, 'Queries');
  }

  /** Empty bests for the loaded queries. */
  openBests(k: number, capacity: number, kind: 'rows' | 'documents'): void {
    const { count } = this;
    const bests = this.bests.at(count * bestWords.size * 4);
    const entries = this.entries.at(count * capacity * 8);
    const { u32, f32 } = this.arena;
    const job = this.job >>> 2;
    u32[job + jobWords.bests] = bests;
    u32[job + jobWords.kind] = kind === 'rows' ? 0 : 1;
    for (let q = 0; q < count; q++) {
      const query = this.query(q);
      const best = (bests >>> 2) + q * bestWords.size;
      const { bound, slope } = this.doubt(query);
      u32[best + bestWords.k] = k;
      u32[best + bestWords.capacity] = capacity;
      u32[best + bestWords.count] = 0;
      u32[best + bestWords.trigger] = (k + capacity) >> 1;
      f32[best + bestWords.threshold] = -Infinity;
      // A document's rows are of any step.
      f32[best + bestWords.bound] =
        kind === 'rows' ? bound : 1.00001 * (bound + slope * f32[job + jobWords.step]);
      f32[best + bestWords.slope] = kind === 'rows' ? slope : 0;
      u32[best + bestWords.entries] = entries + q * capacity * 8;
      u32[best + bestWords.query] = query * 4;
    }
  }

  /** How far scores of a scan may be from those that decide: nothing where fine codes are all there is (and are what is scanned). */
  private doubt(query: number): { bound: number; slope: number } {
    const { u32, f32 } = this.arena;
    const job = this.job >>> 2;
    if (u32[job + jobWords.exact] === 0) return { bound: 0, slope: 0 };
    // Those of the fine codes where there are no coarse ones.
    return { bound: f32[query + queryWords.coarseBound], slope: f32[query + queryWords.coarseSlope] };
  }

  /** The most by which a fine score may differ from the canonical one, over all rows. */
  largestDoubt(q: number): number {
    const { f32 } = this.arena;
    const query = this.query(q);
    const step = f32[(this.job >>> 2) + jobWords.step];
    return 1.00001 * (f32[query + queryWords.fineBound] + f32[query + queryWords.fineSlope] * step);
  }

  /**
   * Begins to count ranks of `own[first + q]`. Where vectors are not in memory, the scores of own rows and room for the numbers of
   * rows that codes leave open have to be given.
   */
  openRanks(
    own: Uint32Array,
    first: number,
    given?: { readonly bars: Float32Array; readonly room: number },
  ): void {
    const ranks = this.ranks.at(this.count * rankWords.size * 4);
    const lists = given ? this.lists.at(this.count * given.room * 4) : 0;
    const { u32, f32 } = this.arena;
    u32[(this.job >>> 2) + jobWords.ranks] = ranks;
    for (let q = 0; q < this.count; q++) {
      const rank = (ranks >>> 2) + q * rankWords.size;
      u32.fill(0, rank, rank + rankWords.size);
      u32[rank + rankWords.own] = own[first + q];
      if (!given) continue;
      f32[rank + rankWords.bar] = given.bars[first + q];
      u32[rank + rankWords.undecided] = lists + q * given.room * 4;
      u32[rank + rankWords.undecidedCapacity] = given.room;
    }
  }

  /** Rows that codes left open; undefined where there was not room for all of them. */
  undecided(q: number): Uint32Array | undefined {
    const { u32 } = this.arena;
    const rank = (u32[(this.job >>> 2) + jobWords.ranks] >>> 2) + q * rankWords.size;
    const count = u32[rank + rankWords.undecidedCount];
    if (count > u32[rank + rankWords.undecidedCapacity]) return undefined;
    const list = u32[rank + rankWords.undecided] >>> 2;
    return u32.slice(list, list + count);
  }

  rankCount(q: number): number {
    const { u32 } = this.arena;
    return u32[(u32[(this.job >>> 2) + jobWords.ranks] >>> 2) + q * rankWords.size + rankWords.count];
  }

  /** Numbers and scores of a finished best, written at `place`; returns how many. */
  read(q: number, place: number, numbers: Uint32Array, scores: Float32Array): number {
    const { u32 } = this.arena;
    const best = (u32[(this.job >>> 2) + jobWords.bests] >>> 2) + q * bestWords.size;
    const count = u32[best + bestWords.count];
    const entries = u32[best + bestWords.entries] >>> 2;
    for (let i = 0; i < count; i++) {
      const low = u32[entries + 2 * i];
      const high = u32[entries + 2 * i + 1];
      numbers[place + i] = 0x7fffffff - (low >>> 1);
      bits[0] = high & 0x80000000 ? high ^ 0x80000000 : ~high;
      scores[place + i] = view[0];
    }
    return count;
  }

  get count(): number {
    return this.arena.u32[(this.job >>> 2) + jobWords.queryCount];
  }

  /** Word index of a loaded query. */
  private query(q: number): number {
    return (this.arena.u32[(this.job >>> 2) + jobWords.queries] >>> 2) + q * queryWords.size;
  }
}

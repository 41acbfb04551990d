import { SelfIndexError } from '../base/errors.ts';
import { checkBlend, checkK, checkOwn, checkRows, checkVectors, countVectors } from './arguments.ts';
import { aggregateScore, canonicalScore } from './canonical.ts';
import { none, purposes } from './layout.ts';
import type { Machine } from './machine.ts';
import { emptyTopDocuments, emptyTopK, writeHits, writeParts, type DocumentParts } from './results.ts';
import { ScanEngine } from './scan-engine.ts';
import { BestK } from './select.ts';
import type { CompactOptions, CompactSearch, Proven, RowLabels, TopDocuments, TopK } from './types.ts';

/** Candidates per wanted row or document at first; for int8 doubled while a better one could have been overlooked. */
const candidatesPerHit = { int8: 4, int4: 16 };

/** Most candidates of one query: beyond, reading their vectors costs more than certainty is worth. */
const mostCandidates = 4096;

/** Queries whose candidates are read together. */
const queriesTogether = 16;

/** Rows of one query that codes may leave open before its count is begun again with more room. */
const openRows = 16_384;

type Score = (query: number, row: number) => number;

/** What a scan of codes found for one query: the best by codes, and what the best of the others could score. */
interface Candidates {
  readonly query: number;
  readonly numbers: Uint32Array;
  readonly missed: number;
}

/**
 * Like a VectorKernel, with the same scores and order, but only codes stay in memory: candidates found by codes are
 * scored by vectors read back from a source. A search knows how wrong codes can be: it asks for more candidates until
 * none that was left out can be among the best, or says of a query that this was not reached (`proven`).
 */
export class CompactKernel {
  private readonly engine: ScanEngine;

  constructor(
    machine: Machine,
    readonly dimensions: number,
    private readonly options: CompactOptions,
  ) {
    const { format } = options;
    this.engine = new ScanEngine(machine, dimensions, false, { format, variant: 'int16' });
  }

  get length(): number {
    return this.engine.store.length;
  }

  get live(): number {
    return this.engine.store.live;
  }

  /** WebAssembly memory taken, in bytes. */
  get bytes(): number {
    return this.engine.arena.used;
  }

  /** Appends the codes of vectors, which the source must give back from now on; returns the number of the first row. */
  add(vectors: Float32Array, labels?: RowLabels): number {
    return this.engine.store.add(vectors, labels);
  }

  remove(rows: readonly number[]): void {
    this.engine.store.remove(rows);
  }

  async topK(queries: Float32Array, k: number, search: CompactSearch = {}): Promise<TopK & Proven> {
    const count = this.check(queries, k);
    const result = emptyTopK(count, k);
    const proven = new Uint8Array(count);
    await this.search(queries, k, 'rows', search, proven, ({ query, numbers }, scoreOf) => {
      const best = new BestK(k);
      for (const row of numbers) best.offer(row, scoreOf(query, row));
      return writeHits(result, result.rows, query, best);
    });
    return { ...result, proven };
  }

  async topDocuments(
    queries: Float32Array,
    k: number,
    blend: number,
    search: CompactSearch = {},
  ): Promise<TopDocuments & Proven> {
    const count = this.check(queries, k);
    checkBlend(blend);
    const result = emptyTopDocuments(count, k);
    const proven = new Uint8Array(count);
    this.engine.setBlend(blend);
    await this.search(queries, k, 'documents', search, proven, ({ query, numbers }, scoreOf) => {
      const best = new BestK(k);
      const parts = new Map<number, DocumentParts>();
      for (const document of numbers) {
        const found = this.partsOf(document, search.admissible, (row) => scoreOf(query, row));
        parts.set(document, found);
        best.offer(document, aggregateScore(found.original, found.generated, blend));
      }
      const bar = writeHits(result, result.documents, query, best);
      writeParts(result, query, parts);
      return bar;
    });
    return { ...result, proven };
  }

  /** Row-major |queries| × |rows| scores; −Infinity for a removed row. */
  async pairs(queries: Float32Array, rows: Uint32Array, signal?: AbortSignal): Promise<Float32Array> {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkRows(rows, this.length);
    const scoreOf = await this.read(queries, rows, signal);
    const scores = new Float32Array(count * rows.length);
    for (let i = 0; i < scores.length; i++) {
      const row = rows[i % rows.length];
      const removed = this.engine.store.isRemoved(row);
      scores[i] = removed ? -Infinity : scoreOf(Math.floor(i / rows.length), row);
    }
    return scores;
  }

  /** Per query the best score over candidate rows; −Infinity where there is none. */
  async maximum(queries: Float32Array, rows: Uint32Array, signal?: AbortSignal): Promise<Float32Array> {
    const scores = await this.pairs(queries, rows, signal);
    const best = new Float32Array(countVectors(queries, this.dimensions, 'Queries')).fill(-Infinity);
    for (let i = 0; i < scores.length; i++) {
      const query = Math.floor(i / rows.length);
      best[query] = Math.max(best[query], scores[i]);
    }
    return best;
  }

  /** As VectorKernel.rankCounts. Rows that codes leave open are read; with `int4` these are many. */
  async rankCounts(
    queries: Float32Array,
    own: Uint32Array,
    search: CompactSearch = {},
  ): Promise<Uint32Array> {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkOwn(own, count, this.length, (row) => this.engine.store.isRemoved(row));
    const counts = new Uint32Array(count);
    for (let first = 0; first < count; first += queriesTogether) {
      const taken = Math.min(queriesTogether, count - first);
      const some = queries.subarray(first * this.dimensions, (first + taken) * this.dimensions);
      const theirs = own.subarray(first, first + taken);
      const scoreOwn = await this.read(some, theirs, search.signal);
      const bars = Float32Array.from(theirs, (row, q) => scoreOwn(q, row));
      const open = this.countByCodes(some, theirs, bars, search.admissible, counts.subarray(first));
      const scoreOf = await this.read(
        some,
        open.flatMap((rows) => Array.from(rows)),
        search.signal,
      );
      open.forEach((rows, q) => {
        for (const row of rows) if (scoreOf(q, row) >= bars[q]) counts[first + q]++;
      });
    }
    return counts;
  }

  dispose(): void {
    this.engine.dispose();
  }

  private check(queries: Float32Array, k: number): number {
    const count = checkVectors(queries, this.dimensions, 'Queries');
    checkK(k, count);
    return count;
  }

  /**
   * Candidates by codes, their vectors, then `rescore`, which returns the k-th best canonical score; again with more
   * candidates for queries of which something better could have been missed.
   */
  private async search(
    queries: Float32Array,
    k: number,
    kind: 'rows' | 'documents',
    { admissible, signal }: CompactSearch,
    proven: Uint8Array,
    rescore: (candidates: Candidates, scoreOf: Score) => number,
  ): Promise<void> {
    const { format } = this.options;
    let pending = Array.from(proven, (_, query) => query);
    for (let wanted = k * candidatesPerHit[format]; pending.length > 0; wanted *= 2) {
      const unproven: number[] = [];
      for (let first = 0; first < pending.length; first += queriesTogether) {
        const some = pending.slice(first, first + queriesTogether);
        const found = this.candidates(queries, some, wanted, kind, admissible);
        const rows = found.flatMap(({ numbers }) => this.rowsOf(numbers, kind));
        const scoreOf = await this.read(queries, rows, signal);
        for (const candidates of found) {
          const { query, missed } = candidates;
          // Equal would not do: among equals the lowest number wins.
          if (rescore(candidates, scoreOf) > missed || missed === -Infinity) proven[query] = 1;
          else unproven.push(query);
        }
      }
      pending = format === 'int4' || 2 * wanted > Math.max(mostCandidates, 2 * k) ? [] : unproven;
    }
  }

  private candidates(
    queries: Float32Array,
    some: readonly number[],
    wanted: number,
    kind: 'rows' | 'documents',
    admissible: Uint32Array | undefined,
  ): Candidates[] {
    const { engine, dimensions } = this;
    const chosen = new Float32Array(some.length * dimensions);
    some.forEach((query, i) => {
      chosen.set(queries.subarray(query * dimensions, (query + 1) * dimensions), i * dimensions);
    });
    const available = kind === 'rows' ? this.live : engine.store.documents;
    const reach = Math.max(1, Math.min(wanted, available));
    const found: Candidates[] = [];
    engine.admit(admissible);
    const size = kind === 'rows' ? some.length : Math.min(some.length, engine.documentBlock);
    for (const { first, taken } of engine.blocks(chosen, size)) {
      engine.findBest(reach, kind);
      for (let q = 0; q < taken; q++) {
        const numbers = new Uint32Array(reach);
        const scores = new Float32Array(reach);
        const count = engine.block.read(q, 0, numbers, scores);
        const all = count < reach || reach === available;
        const missed = all ? -Infinity : scores[count - 1] + engine.block.largestDoubt(q);
        found.push({ query: some[first + q], numbers: numbers.subarray(0, count), missed });
      }
    }
    return found;
  }

  private rowsOf(numbers: Uint32Array, kind: 'rows' | 'documents'): number[] {
    const { store } = this.engine;
    if (kind === 'rows') return Array.from(numbers);
    return Array.from(numbers).flatMap((document) =>
      store.rowsOf(document).filter((row) => !store.isRemoved(row)),
    );
  }

  private partsOf(
    document: number,
    admissible: Uint32Array | undefined,
    scoreOf: (row: number) => number,
  ): DocumentParts {
    const { store } = this.engine;
    const parts = { original: -Infinity, generated: -Infinity, row: none };
    for (const row of store.rowsOf(document)) {
      if (store.isRemoved(row) || !isAdmissible(admissible, row)) continue;
      const score = scoreOf(row);
      const top = Math.max(parts.original, parts.generated);
      if (score > top || (score === top && row < parts.row)) parts.row = row;
      if (store.isGenerated(row)) parts.generated = Math.max(parts.generated, score);
      else parts.original = Math.max(parts.original, score);
    }
    return parts;
  }

  /** Adds to `counts` what codes decide; returns per query the rows that they leave open. */
  private countByCodes(
    queries: Float32Array,
    own: Uint32Array,
    bars: Float32Array,
    admissible: Uint32Array | undefined,
    counts: Uint32Array,
  ): Uint32Array[] {
    const { engine } = this;
    engine.admit(admissible);
    for (let room = openRows; ; room *= 4) {
      const open: (Uint32Array | undefined)[] = [];
      for (const { taken } of engine.blocks(queries, own.length)) {
        engine.scan(purposes.ranks, () => engine.block.openRanks(own, 0, { bars, room }));
        for (let q = 0; q < taken; q++) {
          counts[q] = engine.block.rankCount(q);
          open.push(engine.block.undecided(q));
        }
      }
      if (open.every((rows) => rows !== undefined)) return open;
    }
  }

  /** Reads the vectors of rows, each once, and scores them canonically. */
  private async read(
    queries: Float32Array,
    rows: Iterable<number>,
    signal: AbortSignal | undefined,
  ): Promise<Score> {
    const { dimensions } = this;
    signal?.throwIfAborted();
    const distinct = Uint32Array.from(new Set(rows)).sort();
    const vectors =
      distinct.length === 0 ? new Float32Array(0) : await this.options.source.read(distinct, signal);
    signal?.throwIfAborted();
    if (vectors.length !== distinct.length * dimensions) {
      throw new SelfIndexError(
        'invalid-argument',
        `The row source gave ${vectors.length} numbers for ${distinct.length} rows of ${dimensions} dimensions.`,
      );
    }
    const places = new Map(Array.from(distinct, (row, place) => [row, place]));
    return (query, row) =>
      canonicalScore(queries, query * dimensions, vectors, (places.get(row) ?? 0) * dimensions, dimensions);
  }
}

function isAdmissible(admissible: Uint32Array | undefined, row: number): boolean {
  return admissible === undefined || ((admissible[row >>> 5] >>> (row & 31)) & 1) === 1;
}

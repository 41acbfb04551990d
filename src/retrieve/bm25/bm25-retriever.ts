import { SelfIndexError } from '../../base/errors.ts';
import { createPacer } from '../../base/pacer.ts';
import type { Analyser } from '../../corpus/types.ts';
import type { IndexKey } from '../../keys/types.ts';
import { checkAggregate } from '../aggregate.ts';
import {
  defaultAggregate,
  type Aggregate,
  type DocumentHit,
  type KeyChanges,
  type KeyHit,
  type Retriever,
} from '../types.ts';
import { Bm25Index } from './bm25-index.ts';
import { applyChanges } from './changes.ts';
import { compacted, isWasteful } from './compact.ts';
import { deserialise } from './deserialise.ts';
import { expand, type Expansion } from './expand.ts';
import type { ExpansionMemory } from './expansion-memory.ts';
import type { Bm25Parameters } from './formula.ts';
import type { Pruning } from './pruning.ts';
import { Bm25Search } from './search.ts';
import { serialise } from './serialise.ts';
import { TextScorer } from './text-scorer.ts';

export interface Bm25Options {
  readonly analyser: Analyser;
  readonly aggregate?: Aggregate;
  /** Default k1 .9, b .4. */
  readonly parameters?: Bm25Parameters;
  /** Default `auto`; every choice gives the same results. */
  readonly pruning?: Pruning;
}

/** BM25 over keys (design.md §3 "BM25 statistics"). Calls that run while `update` is pending see the index before it. */
export class Bm25Retriever implements Retriever {
  readonly kind = 'bm25';
  private index: Bm25Index;
  private search: Bm25Search;
  private aggregate: Aggregate;
  private readonly pruning: Pruning | undefined;
  /** What changes keys, or must not see them change, follows one another. */
  private turn: Promise<void> = Promise.resolve();

  private constructor(
    index: Bm25Index,
    { aggregate = defaultAggregate, pruning }: Omit<Bm25Options, 'analyser'>,
  ) {
    this.index = index;
    this.pruning = pruning;
    this.search = new Bm25Search(index, pruning);
    this.aggregate = checkAggregate(aggregate);
  }

  /** A retriever over these keys; original keys may stand anywhere among them. */
  static async create(
    keys: readonly IndexKey[],
    options: Bm25Options,
    signal?: AbortSignal,
  ): Promise<Bm25Retriever> {
    const retriever = new Bm25Retriever(new Bm25Index(options.analyser, options.parameters), options);
    await retriever.update({ added: keys, removed: [] }, signal);
    return retriever;
  }

  /**
   * The retriever that `serialise` saved.
   * @throws SelfIndexError `import-corrupt` where bytes are missing or changed, `import-unsupported` where they are of
   * another format or were made with another analyser
   */
  static load(bytes: Uint8Array, options: Omit<Bm25Options, 'parameters'>): Bm25Retriever {
    return new Bm25Retriever(deserialise(bytes, options.analyser), options);
  }

  /** The whole index in bytes, for `load`. */
  serialise(): Uint8Array {
    return serialise(this.index);
  }

  async topKeys(queries: readonly string[], depth: number, signal?: AbortSignal): Promise<KeyHit[][]> {
    return this.each(queries, signal, (query) => this.search.topKeys(this.index.query(query), depth));
  }

  async rank(query: string, limit: number, signal?: AbortSignal): Promise<DocumentHit[]> {
    signal?.throwIfAborted();
    return this.search.rank(this.index.query(query), limit, this.aggregate);
  }

  async relevance(
    queries: readonly string[],
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const pacer = createPacer(signal);
    const scorer = new TextScorer(this.index);
    for (const key of keys) {
      scorer.add(key);
      await pacer.pause();
    }
    const scores = new Float32Array(queries.length * keys.length);
    for (const [i, query] of queries.entries()) {
      scorer.score(query, scores.subarray(i * keys.length, (i + 1) * keys.length));
      await pacer.pause();
    }
    return scores;
  }

  async maxRelevance(
    tasks: readonly { readonly query: string; readonly keyIds: readonly string[] }[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const best = await this.each(tasks, signal, ({ query, keyIds }) =>
      this.search.maximum(
        this.index.query(query),
        keyIds.map((id) => this.placeOf(id)),
      ),
    );
    return Float32Array.from(best);
  }

  async rivals(
    pairs: readonly { readonly query: string; readonly documentId: string }[],
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    const counts = await this.each(pairs, signal, ({ query, documentId }) =>
      this.search.rivals(this.index.query(query), this.numberOf(documentId)),
    );
    return Uint32Array.from(counts);
  }

  /** As `expand` says; an update waits for the end. */
  async expansion(memory?: ExpansionMemory, signal?: AbortSignal): Promise<Expansion> {
    return this.inTurn(() => expand(this.index, createPacer(signal), {}, memory));
  }

  /** @param ready as `applyChanges` says */
  async update(changes: KeyChanges, signal?: AbortSignal, ready?: () => Promise<void>): Promise<void> {
    await this.inTurn(async () => {
      await applyChanges(this.index, changes, signal, ready);
      if (!isWasteful(this.index)) return;
      const fresh = await compacted(this.index, createPacer());
      this.index = fresh;
      this.search = new Bm25Search(fresh, this.pruning);
    });
  }

  setAggregate(aggregate: Aggregate): void {
    this.aggregate = checkAggregate(aggregate);
  }

  async dispose(): Promise<void> {}

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.turn.then(work);
    this.turn = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  private async each<T, R>(
    tasks: readonly T[],
    signal: AbortSignal | undefined,
    run: (task: T) => R,
  ): Promise<R[]> {
    const pacer = createPacer(signal);
    const results: R[] = [];
    for (const task of tasks) {
      await pacer.pause();
      results.push(run(task));
    }
    return results;
  }

  private numberOf(documentId: string): number {
    const number = this.index.documentNumber(documentId);
    if (number !== undefined) return number;
    throw new SelfIndexError(
      'document-not-found',
      `There is no document ${JSON.stringify(documentId)} in the index.`,
      {
        details: { documentId },
      },
    );
  }

  private placeOf(keyId: string) {
    const place = this.index.place(keyId);
    if (place && place.kind !== 'expansion') return place;
    throw new SelfIndexError(
      'invalid-argument',
      `There is no text key ${JSON.stringify(keyId)} in the index.`,
      {
        details: { keyId },
      },
    );
  }
}

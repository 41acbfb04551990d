import { createPacer } from '../../base/pacer.ts';
import type { Embedder, EmbedOptions } from '../../embed/types.ts';
import { createKernel } from '../../kernel/create.ts';
import { createReferenceKernel } from '../../kernel/reference.ts';
import type { VectorKernel } from '../../kernel/types.ts';
import type { IndexKey } from '../../keys/types.ts';
import { checkAggregate } from '../aggregate.ts';
import { resolveChanges } from '../key-changes.ts';
import {
  defaultAggregate,
  type Aggregate,
  type DocumentHit,
  type KeyChanges,
  type KeyHit,
  type Retriever,
} from '../types.ts';
import { KeyRows } from './key-rows.ts';
import { bestByScoreThenId } from './ties.ts';

export type MakeKernel = (dimensions: number) => VectorKernel | Promise<VectorKernel>;

export interface DenseOptions {
  /** Give a caching one (`cachedEmbedder`): keys are embedded as passages, searches and keys-as-queries as queries. */
  readonly embedder: Embedder;
  readonly aggregate?: Aggregate;
  /** Default: the fastest that this machine has. All of them score alike, bit for bit. */
  readonly makeKernel?: MakeKernel;
  readonly onProgress?: EmbedOptions['onProgress'];
}

/** Queries scored in one go between two pauses. */
const batchSize = 16;

/** Dense retrieval over keys: cosine of embeddings. Expansion keys are for BM25 and have no part here. */
export class DenseRetriever implements Retriever {
  readonly kind = 'dense';
  private aggregate: Aggregate;
  /** Updates follow one another. */
  private updated: Promise<void> = Promise.resolve();

  private constructor(
    private readonly embedder: Embedder,
    private readonly kernel: VectorKernel,
    private readonly keys: KeyRows,
    { aggregate = defaultAggregate }: DenseOptions,
  ) {
    this.aggregate = checkAggregate(aggregate);
  }

  static async create(
    keys: readonly IndexKey[],
    options: DenseOptions,
    signal?: AbortSignal,
  ): Promise<DenseRetriever> {
    const { embedder, makeKernel = (dimensions) => createKernel(dimensions), onProgress } = options;
    const kernel = await makeKernel(embedder.dimensions);
    const retriever = new DenseRetriever(embedder, kernel, new KeyRows(), options);
    try {
      await retriever.follow({ added: keys, removed: [] }, { signal, onProgress });
      return retriever;
    } catch (error) {
      kernel.dispose();
      throw error;
    }
  }

  async topKeys(queries: readonly string[], depth: number, signal?: AbortSignal): Promise<KeyHit[][]> {
    const hits: KeyHit[][] = [];
    await this.inBatches(queries, signal, (vectors) => {
      hits.push(
        ...bestByScoreThenId(
          vectors.length / this.kernel.dimensions,
          depth,
          this.kernel.live,
          (k) => {
            const top = this.kernel.topK(vectors, k);
            return { k: top.k, counts: top.counts, items: top.rows, scores: top.scores };
          },
          (row) => this.keys.key(row).id,
        ).map((list) =>
          list.map(({ item, score }) => {
            const { id, documentId } = this.keys.key(item);
            return { keyId: id, documentId, score };
          }),
        ),
      );
    });
    return hits;
  }

  async rank(query: string, limit: number, signal?: AbortSignal): Promise<DocumentHit[]> {
    if (query.trim() === '') return [];
    const vector = await this.embedder.embed([query], 'query', { signal });
    const blend = this.aggregate === 'max' ? 1 : this.aggregate.blend;
    const places = new Map<number, { original: number; generated: number; row: number }>();
    const [best] = bestByScoreThenId(
      1,
      limit,
      this.keys.documentCount,
      (k) => {
        const top = this.kernel.topDocuments(vector, k, blend);
        for (let i = 0; i < top.counts[0]; i++) {
          places.set(top.documents[i], {
            original: top.originals[i],
            generated: top.generated[i],
            row: top.rows[i],
          });
        }
        return { k: top.k, counts: top.counts, items: top.documents, scores: top.scores };
      },
      (document) => this.keys.documentId(document),
    );
    return best.map(({ item, score }, i): DocumentHit => {
      const { original, generated, row } = places.get(item) ?? { original: 0, generated: 0, row: 0 };
      const rank = i + 1;
      // A document without generated keys gains nothing by them: its g is its o.
      const parts = { original, generated: generated === -Infinity ? original : generated, expansion: 0 };
      return {
        documentId: this.keys.documentId(item),
        score,
        rank,
        keyId: this.keys.key(row).id,
        components: { dense: { score, rank, ...parts } },
      };
    });
  }

  async relevance(
    queries: readonly string[],
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const asQueries = await this.embedder.embed(queries, 'query', { signal });
    const asKeys = await this.embedder.embed(keys, 'passage', { signal });
    const scratch = createReferenceKernel(this.kernel.dimensions);
    try {
      scratch.add(asKeys);
      return scratch.pairs(
        asQueries,
        Uint32Array.from(keys, (_, i) => i),
      );
    } finally {
      scratch.dispose();
    }
  }

  async maxRelevance(
    tasks: readonly { readonly query: string; readonly keyIds: readonly string[] }[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    const best = new Float32Array(tasks.length);
    const queries = tasks.map((task) => task.query);
    const vectors = await this.embedder.embed(queries, 'query', { signal });
    const { dimensions } = this.kernel;
    const pacer = createPacer(signal);
    for (let start = 0, end = 0; start < tasks.length; start = end) {
      // Neighbours with the same candidates, as the keys of one proposal have, are one call.
      const { keyIds } = tasks[start];
      while (end < Math.min(tasks.length, start + batchSize) && tasks[end].keyIds === keyIds) end++;
      const rows = Uint32Array.from(keyIds, (id) => this.keys.row(id));
      const some = vectors.subarray(start * dimensions, end * dimensions);
      best.set(this.kernel.maximum(some, rows), start);
      await pacer.pause();
    }
    return best;
  }

  async rivals(
    pairs: readonly { readonly query: string; readonly documentId: string }[],
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    const counts = new Uint32Array(pairs.length);
    const originals = this.keys.originalsBitmap(this.kernel.length);
    let next = 0;
    await this.inBatches(
      pairs.map((pair) => pair.query),
      signal,
      (vectors) => {
        const size = vectors.length / this.kernel.dimensions;
        const own = Uint32Array.from(pairs.slice(next, next + size), (pair) =>
          this.keys.originalRow(pair.documentId),
        );
        counts.set(this.kernel.rankCounts(vectors, own, originals), next);
        next += size;
      },
    );
    return counts;
  }

  /** An expansion key is a set of terms, not a text: embedding it has no sense. */
  async expansion(): Promise<null> {
    return null;
  }

  /** Embeds what is new, then changes all at once: calls meanwhile see the index before it. */
  async update(changes: KeyChanges, signal?: AbortSignal): Promise<void> {
    const update = this.updated.then(() => this.follow(changes, { signal }));
    this.updated = update.catch(() => {});
    await update;
  }

  setAggregate(aggregate: Aggregate): void {
    this.aggregate = checkAggregate(aggregate);
  }

  async dispose(): Promise<void> {
    this.kernel.dispose();
  }

  private async follow(changes: KeyChanges, options: EmbedOptions): Promise<void> {
    const withoutExpansion = changes.added.filter((key) => key.kind !== 'expansion');
    const { added, removed } = resolveChanges(this.keys, {
      added: withoutExpansion,
      removed: changes.removed,
    });
    const vectors = await this.embedder.embed(
      added.map((key) => key.text),
      'passage',
      options,
    );
    const replaced = new Set(added.filter((key) => key.kind === 'original').map((key) => key.documentId));
    const gone = new Set([...removed].filter((id) => this.keys.has(id)));
    // With its original key goes a document, and with that all its keys.
    for (const { id, kind, documentId } of changes.removed) {
      if (kind === 'original' && !replaced.has(documentId))
        for (const key of this.keys.siblings(id)) gone.add(key);
    }
    // The kernel first: for want of memory it may refuse, and then nothing has changed.
    const first = this.kernel.add(vectors, this.keys.labels(added));
    this.kernel.remove(Array.from(gone, (id) => this.keys.remove(id)));
    this.keys.add(added, first);
  }

  private async inBatches(
    queries: readonly string[],
    signal: AbortSignal | undefined,
    score: (vectors: Float32Array) => void,
  ): Promise<void> {
    const pacer = createPacer(signal);
    const vectors = await this.embedder.embed(queries, 'query', { signal });
    const { dimensions } = this.kernel;
    for (let start = 0; start < queries.length; start += batchSize) {
      score(vectors.subarray(start * dimensions, Math.min(start + batchSize, queries.length) * dimensions));
      await pacer.pause();
    }
  }
}

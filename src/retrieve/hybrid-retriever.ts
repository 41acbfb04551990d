import type { Expansion } from './bm25/expand.ts';
import type { ExpansionMemory } from './bm25/expansion-memory.ts';
import type { Bm25Retriever } from './bm25/bm25-retriever.ts';
import { reciprocalRankFusion } from './fusion.ts';
import type { Aggregate, DocumentHit, KeyChanges, KeyHit, Retriever } from './types.ts';

/** Least depth of each list that is fused: a document deep in one list may lead by the other. */
const leastDepth = 100;

export interface HybridOptions {
  /** Whose part weighs how much; default 1 and 1. */
  readonly weights?: { readonly bm25: number; readonly dense: number };
}

/** The BM25 side: it can wait with a change until the other side has made it too. */
export type Bm25Part = Retriever & Pick<Bm25Retriever, 'update'>;

/**
 * Reciprocal rank fusion of BM25 and dense retrieval over the same keys. What evolution asks of a retriever (keys,
 * relevance, specificity, separation) is answered by BM25 alone: those compare scores, which needs one scale, and fused
 * ranks have none.
 */
export class HybridRetriever implements Retriever {
  readonly kind = 'hybrid';
  private readonly weights: readonly number[];

  constructor(
    private readonly bm25: Bm25Part,
    private readonly dense: Retriever,
    { weights = { bm25: 1, dense: 1 } }: HybridOptions = {},
  ) {
    this.weights = [weights.bm25, weights.dense];
  }

  async rank(query: string, limit: number, signal?: AbortSignal): Promise<DocumentHit[]> {
    const depth = Math.max(limit, leastDepth);
    const [bm25, dense] = await Promise.all([
      this.bm25.rank(query, depth, signal),
      this.dense.rank(query, depth, signal),
    ]);
    const byWords = new Map(bm25.map((hit) => [hit.documentId, hit]));
    const byMeaning = new Map(dense.map((hit) => [hit.documentId, hit]));
    const fused = reciprocalRankFusion([[...byWords.keys()], [...byMeaning.keys()]], this.weights);
    return fused.slice(0, limit).flatMap(({ id, score }, i) => {
      const words = byWords.get(id);
      const meaning = byMeaning.get(id);
      const best = better(words, meaning);
      if (!best) return [];
      const components = { ...words?.components, ...meaning?.components };
      return { documentId: id, score, rank: i + 1, keyId: best.keyId, components };
    });
  }

  topKeys(queries: readonly string[], depth: number, signal?: AbortSignal): Promise<KeyHit[][]> {
    return this.bm25.topKeys(queries, depth, signal);
  }

  relevance(
    queries: readonly string[],
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    return this.bm25.relevance(queries, keys, signal);
  }

  maxRelevance(
    tasks: readonly { readonly query: string; readonly keyIds: readonly string[] }[],
    signal?: AbortSignal,
  ): Promise<Float32Array> {
    return this.bm25.maxRelevance(tasks, signal);
  }

  rivals(
    pairs: readonly { readonly query: string; readonly documentId: string }[],
    signal?: AbortSignal,
  ): Promise<Uint32Array> {
    return this.bm25.rivals(pairs, signal);
  }

  expansion(memory?: ExpansionMemory, signal?: AbortSignal): Promise<Expansion | null> {
    return this.bm25.expansion(memory, signal);
  }

  /** Both or, where changes are refused, embedding fails or the signal aborts, neither; no search falls in between. */
  update(changes: KeyChanges, signal?: AbortSignal): Promise<void> {
    return this.bm25.update(changes, signal, () => this.dense.update(changes, signal));
  }

  setAggregate(aggregate: Aggregate): void {
    this.bm25.setAggregate(aggregate);
    this.dense.setAggregate(aggregate);
  }

  async dispose(): Promise<void> {
    await this.bm25.dispose();
    await this.dense.dispose();
  }
}

/** The hit that stands higher in its own list, whose key explains the fused one; BM25's on a tie. */
function better(words: DocumentHit | undefined, meaning: DocumentHit | undefined): DocumentHit | undefined {
  if (!words || !meaning) return words ?? meaning;
  return meaning.rank < words.rank ? meaning : words;
}

import type { Range } from '../corpus/types.ts';
import type { IndexKey } from '../keys/types.ts';
import type { Expansion } from './bm25/expand.ts';
import type { ExpansionMemory } from './bm25/expansion-memory.ts';

export type RetrieverKind = 'bm25' | 'dense' | 'hybrid';

/**
 * How the scores of a document's keys make its own (design.md §5), with o = rel(original), g = max rel(generated),
 * e = rel(expansion key): 'max' is max(o, g), the paper's; {blend: w, boost: v} is o + w·max(0, g − o) + v·e.
 * Dense retrieval has no expansion key: e = 0.
 */
export type Aggregate = 'max' | { readonly blend: number; readonly boost: number };

export const defaultAggregate: Aggregate = { blend: 0.5, boost: 0.2 };

export interface KeyHit {
  readonly keyId: string;
  readonly documentId: string;
  readonly score: number;
}

/** One retriever's part in a document's score. */
export interface ComponentScore {
  readonly score: number;
  /** From 1. */
  readonly rank: number;
  /** rel(original), best rel of a generated key, rel(expansion): what `score` was made of. */
  readonly original: number;
  readonly generated: number;
  readonly expansion: number;
}

export interface DocumentHit {
  readonly documentId: string;
  readonly score: number;
  /** From 1. */
  readonly rank: number;
  /** The text key that scored best. */
  readonly keyId: string;
  readonly components: { readonly bm25?: ComponentScore; readonly dense?: ComponentScore };
}

/** Keys that came and went: how a retriever follows a commit. */
export interface KeyChanges {
  readonly added: readonly IndexKey[];
  readonly removed: readonly IndexKey[];
}

/** design.md §7. Every order is score descending, ties by id; a BM25 score of 0 is not retrieved. */
export interface Retriever {
  readonly kind: RetrieverKind;
  /** Text keys (original and generated; never expansion keys). */
  topKeys(queries: readonly string[], depth: number, signal?: AbortSignal): Promise<KeyHit[][]>;
  /** Documents by their aggregate score. */
  rank(query: string, limit: number, signal?: AbortSignal): Promise<DocumentHit[]>;
  /** Row-major |queries| × |keys|; first argument as the query. `keys` are texts. */
  relevance(queries: readonly string[], keys: readonly string[], signal?: AbortSignal): Promise<Float32Array>;
  /**
   * Per task the best rel(query, key) over living keys of the index named by id (separation: P_d and P', design.md §3c);
   * −Infinity where `keyIds` is empty.
   */
  maxRelevance(
    tasks: readonly { readonly query: string; readonly keyIds: readonly string[] }[],
    signal?: AbortSignal,
  ): Promise<Float32Array>;
  /** Specificity counts: per pair, how many other documents' original texts score ≥ the document's own. */
  rivals(
    pairs: readonly { readonly query: string; readonly documentId: string }[],
    signal?: AbortSignal,
  ): Promise<Uint32Array>;
  /**
   * The expansion key of every document (design.md §5), sooner with the memory of an earlier computation; null where the
   * retriever has no use for them.
   */
  expansion(memory?: ExpansionMemory, signal?: AbortSignal): Promise<Expansion | null>;
  /** Follows a commit or a change of documents. */
  update(changes: KeyChanges, signal?: AbortSignal): Promise<void>;
  setAggregate(aggregate: Aggregate): void;
  dispose(): Promise<void>;
}

/** What a search box shows for one hit. */
export interface SearchHit extends DocumentHit {
  readonly title?: string;
  readonly snippet: { readonly text: string; readonly marks: readonly Range[] };
}

/** What every role can look up about the collection; made afresh from the snapshot of each iteration. */
export interface CollectionView {
  readonly size: number;
  /** ln(1 + (N − df + .5)/(df + .5)) over original texts; terms of the index's analyser. */
  idf(term: string): number;
  /** Terms of a text with their weights, as the index sees them. */
  terms(text: string): ReadonlyMap<string, number>;
  /** Long forms of an acronym found anywhere in the collection, most frequent first. */
  expansionsOf(acronym: string): readonly string[];
}

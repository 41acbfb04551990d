import { byScoreThenId } from '../base/order.ts';
import { createPacer } from '../base/pacer.ts';
import type { Analyser, Document } from '../corpus/types.ts';
import { makeExpansionKey, makeOriginalKey } from '../keys/key-id.ts';
import type { IndexKey } from '../keys/types.ts';
import { Bm25Retriever } from './bm25/bm25-retriever.ts';
import { frequenciesOf } from './bm25/term-counts.ts';

export interface ExpansionOptions {
  /** Neighbours of a document, itself not among them. Default 10. */
  readonly neighbours?: number;
  /** Terms of a key. Default 40. */
  readonly terms?: number;
}

/**
 * The expansion key of every document (design.md §5): the terms with the largest idf × weighted mean of ln(1 + tf) in
 * its nearest neighbours by BM25, the document's own text as the query, weights the neighbours' scores normalised to
 * sum 1; ties by term. A document without neighbours has none.
 */
export async function expansionKeys(
  documents: readonly Document[],
  analyser: Analyser,
  { neighbours = 10, terms = 40 }: ExpansionOptions = {},
  signal?: AbortSignal,
): Promise<Map<string, IndexKey>> {
  const originals = documents.map(makeOriginalKey);
  const retriever = await Bm25Retriever.create(originals, { analyser, aggregate: 'max' }, signal);
  const pacer = createPacer(signal);
  const frequencies = new Map<string, ReadonlyMap<string, number>>();
  for (const key of originals) {
    frequencies.set(key.documentId, frequenciesOf(analyser, key.text));
    await pacer.pause();
  }
  const { index } = retriever;
  const keys = new Map<string, IndexKey>();
  for (const key of originals) {
    const ranked = await retriever.rank(key.text, neighbours + 1, signal);
    const near = ranked.filter((hit) => hit.documentId !== key.documentId).slice(0, neighbours);
    const total = near.reduce((sum, hit) => sum + hit.score, 0);
    const means = new Map<string, number>();
    for (const hit of near) {
      for (const [term, count] of frequencies.get(hit.documentId) ?? []) {
        means.set(term, (means.get(term) ?? 0) + (hit.score / total) * Math.log1p(count));
      }
    }
    const best = [...means]
      .map(([term, mean]) => ({ term, value: mean * index.idf(index.vocabulary.find(term)) }))
      .sort(
        byScoreThenId(
          (t) => t.value,
          (t) => t.term,
        ),
      );
    if (best.length > 0)
      keys.set(
        key.documentId,
        makeExpansionKey(
          key.documentId,
          best.slice(0, terms).map((t) => t.term),
        ),
      );
    await pacer.pause();
  }
  return keys;
}

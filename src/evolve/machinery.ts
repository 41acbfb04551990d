import { createAnalyser } from '../corpus/analyser.ts';
import { collectVocabulary } from '../corpus/vocabulary.ts';
import type { Embedder } from '../embed/types.ts';
import { originalText } from '../keys/key-id.ts';
import { Bm25Retriever } from '../retrieve/bm25/bm25-retriever.ts';
import { createCollectionView } from '../retrieve/collection-view.ts';
import { DenseRetriever, type MakeKernel } from '../retrieve/dense/dense-retriever.ts';
import { HybridRetriever } from '../retrieve/hybrid-retriever.ts';
import type { Retriever, RetrieverKind } from '../retrieve/types.ts';
import { SelfIndexError } from '../base/errors.ts';
import type { Machinery } from './state.ts';

export interface MachineryOptions {
  /** Needed for `dense` and `hybrid`. */
  readonly embedder?: Embedder;
  /** What scores vectors; default: the fastest kernel that this machine has. */
  readonly makeKernel?: MakeKernel;
}

/** @throws SelfIndexError `invalid-argument` where a dense retriever has no embedder */
export function makeMachinery(
  kind: RetrieverKind,
  { embedder, makeKernel }: MachineryOptions = {},
): Machinery {
  if (kind !== 'bm25' && !embedder) {
    throw new SelfIndexError(
      'invalid-argument',
      `The ${kind} retriever needs an embedder; give one or use bm25.`,
    );
  }
  return {
    makeAnalyser: (documents) =>
      createAnalyser({ vocabulary: collectVocabulary(documents.map(originalText)) }),
    async makeRetriever(keys, analyser, aggregate, signal): Promise<Retriever> {
      const bm25 = () => Bm25Retriever.create(keys, { analyser, aggregate }, signal);
      if (kind === 'bm25' || !embedder) return bm25();
      const dense = await DenseRetriever.create(keys, { embedder, aggregate, makeKernel }, signal);
      return kind === 'dense' ? dense : new HybridRetriever(await bm25(), dense);
    },
    makeView: createCollectionView,
  };
}

import { SelfIndexError } from '../base/errors.ts';
import type { Embedder } from '../embed/types.ts';
import { createKernel } from '../kernel/create.ts';
import { Bm25Retriever } from '../retrieve/bm25/bm25-retriever.ts';
import { DenseRetriever } from '../retrieve/dense/dense-retriever.ts';
import type { Retriever } from '../retrieve/types.ts';
import type { IndexState } from './state.ts';

/**
 * A retriever over the original texts of a state's documents alone: the same in every version of the index.
 * @throws SelfIndexError `invalid-argument` for `dense` without an embedder
 */
export async function retrieverOverOriginals(
  kind: 'bm25' | 'dense',
  state: Pick<IndexState, 'keySets' | 'analyser'>,
  embedder?: Embedder,
  signal?: AbortSignal,
): Promise<Retriever> {
  const originals = Array.from(state.keySets.values(), (set) => set.original);
  if (kind === 'bm25') return Bm25Retriever.create(originals, { analyser: state.analyser }, signal);
  if (!embedder) throw new SelfIndexError('invalid-argument', 'Dense retrieval needs an embedder.');
  // Without threads of its own there is nothing to let go of but memory.
  const makeKernel = (dimensions: number) => createKernel(dimensions, { threads: 0 });
  return DenseRetriever.create(originals, { embedder, makeKernel }, signal);
}

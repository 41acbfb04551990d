import { collectVocabulary } from '../../corpus/vocabulary.ts';
import { createAnalyser } from '../../corpus/analyser.ts';
import type { EngineSpec, SelfIndex } from '../../evolve/types.ts';
import { makeOriginalKey } from '../../keys/key-id.ts';
import { Bm25Retriever } from '../../retrieve/bm25/bm25-retriever.ts';
import type { IndexKey } from '../../keys/types.ts';

export async function openLabIndex(
  _spec: EngineSpec,
  _vectorsUrl?: string,
): Promise<Pick<SelfIndex, 'add' | 'rankings' | 'evolve' | 'keys' | 'close'>> {
  const keys: IndexKey[] = [];
  let retriever: Bm25Retriever;
  return {
    async add(documents) {
      keys.push(...documents.map(makeOriginalKey));
      retriever = await Bm25Retriever.create(keys, {
        analyser: createAnalyser({ vocabulary: collectVocabulary(keys.map((k) => k.text)) }),
      });
    },
    rankings: (queries, options) => Promise.all(queries.map((q) => retriever.rank(q, options?.limit ?? 10))),
    evolve: () => {
      throw new Error('later');
    },
    keys: async () => [],
    close: async () => {},
  };
}

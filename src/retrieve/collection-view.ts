import { createPacer } from '../base/pacer.ts';
import type { Analyser, Document } from '../corpus/types.ts';
import { originalText } from '../keys/key-id.ts';
import { collectAcronyms } from './acronyms.ts';
import { idf } from './bm25/formula.ts';
import { frequenciesOf } from './bm25/term-counts.ts';
import type { CollectionView } from './types.ts';

/** What roles look up about a collection, from the original texts alone. */
export async function createCollectionView(
  documents: readonly Document[],
  analyser: Analyser,
  signal?: AbortSignal,
): Promise<CollectionView> {
  const pacer = createPacer(signal);
  const frequencies = new Map<string, number>();
  for (const document of documents) {
    for (const term of new Set(analyser.analyse(originalText(document)).map((token) => token.term))) {
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    }
    await pacer.pause();
  }
  const acronyms = collectAcronyms(documents.map(originalText));
  return {
    size: documents.length,
    idf: (term) => idf(documents.length, frequencies.get(term) ?? 0),
    terms: (text) => frequenciesOf(analyser, text),
    expansionsOf: (acronym) => acronyms.get(acronym) ?? [],
  };
}

import { createPacer } from '../base/pacer.ts';
import type { Analyser, Document } from '../corpus/types.ts';
import { makeExpansionKey, makeOriginalKey } from '../keys/key-id.ts';
import type { IndexKey } from '../keys/types.ts';
import { Bm25Index } from './bm25/bm25-index.ts';
import { Expander, type ExpansionOptions } from './bm25/expander.ts';

/**
 * The expansion key of every document (design.md §5), by document id. A document without neighbours has none. Every
 * document is a search for its neighbours: some tenths of a millisecond each.
 */
export async function expansionKeys(
  documents: readonly Document[],
  analyser: Analyser,
  options: ExpansionOptions = {},
  signal?: AbortSignal,
): Promise<Map<string, IndexKey>> {
  const pacer = createPacer(signal);
  const index = new Bm25Index(analyser);
  for (const document of documents) {
    index.add(makeOriginalKey(document));
    await pacer.pause();
  }
  const expander = new Expander(index, options);
  const keys = new Map<string, IndexKey>();
  for (let number = 0; number < documents.length; number++) {
    const terms = expander.terms(number);
    const { id } = documents[number];
    if (terms.length > 0) keys.set(id, makeExpansionKey(id, terms));
    await pacer.pause();
  }
  return keys;
}

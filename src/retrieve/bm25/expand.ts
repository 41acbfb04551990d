import type { Pacer } from '../../base/pacer.ts';
import { commonTerms } from '../../corpus/common-terms.ts';
import { makeExpansionKey } from '../../keys/key-id.ts';
import type { IndexKey } from '../../keys/types.ts';
import type { Bm25Index } from './bm25-index.ts';
import { Expander } from './expander.ts';
import { Recorder, signaturesOf, type ExpansionMemory } from './expansion-memory.ts';
import { Neighbourhood } from './neighbourhood.ts';
import { Recollection } from './recollection.ts';

export interface ExpansionOptions {
  /** Neighbours of a document, itself not among them. Default 10. */
  readonly neighbours?: number;
  /** Terms of a key. Default 40. */
  readonly terms?: number;
  /** Terms that no key gets: by default those that are common in English at large, which lift whatever a wordy search says. */
  readonly leftOut?: ReadonlySet<string>;
}

export interface Expansion {
  /** By document id; a document without neighbours has none. */
  readonly keys: ReadonlyMap<string, IndexKey>;
  /** For the next computation with the same options, over this index or another. */
  readonly memory: ExpansionMemory;
  /** How many documents searched for their neighbours; those of the others followed from the memory. */
  readonly searched: number;
}

/** Neighbours remembered beyond those used, so that documents may come and go before a new search is needed. */
const spare = 8;

/**
 * The expansion key of every document (design.md §5). Without a memory every document searches for its neighbours; with
 * the memory of an earlier computation only new and changed documents do, and those of which it cannot be proved that
 * their nearest neighbours are among the remembered and the new ones (`Recollection`).
 *
 * Nothing is approximated: neighbours, weights and terms, and so the keys, are to the bit those of a computation without
 * memory. (But for a collision of two 32-bit hashes at once, by which a changed document would pass for unchanged.) So
 * keys never depend on the way on which an index came to its documents.
 *
 * The documents must not change meanwhile.
 */
export async function expand(
  index: Bm25Index,
  pacer: Pacer,
  { neighbours = 10, terms = 40, leftOut = commonTerms() }: ExpansionOptions = {},
  memory?: ExpansionMemory,
): Promise<Expansion> {
  const { size, alive } = index.original;
  await index.refreshPaced(pacer);
  const idf = index.originalIdf();
  const signatures = await signaturesOf(index, pacer);
  const neighbourhood = new Neighbourhood(index, idf);
  const count = neighbours + spare;
  const known =
    memory?.count === count
      ? await Recollection.make(index, idf, signatures, neighbourhood, memory, pacer)
      : null;
  const recorder = new Recorder(index, idf, signatures, count);
  const expander = new Expander(index, idf, terms, leftOut);
  const keys = new Map<string, IndexKey>();
  let searched = 0;
  for (let document = 0; document < size; document++) {
    if (!alive[document]) continue;
    await pacer.pause();
    let around = known?.around(document, neighbours);
    if (!around) {
      around = neighbourhood.find(document, count);
      searched++;
    }
    recorder.record(document, around);
    const words = expander.terms(around.nearest.slice(0, neighbours));
    const id = index.documentId(document);
    if (words.length > 0) keys.set(id, makeExpansionKey(id, words));
  }
  return { keys, memory: recorder.finish(), searched };
}

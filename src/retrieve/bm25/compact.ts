import type { Pacer } from '../../base/pacer.ts';
import { Bm25Index } from './bm25-index.ts';
import { renumbered } from './term-counts.ts';

/** Dead slots that are never worth a compaction. */
const negligible = 1000;

/** Do removed keys take more room than living ones? */
export function isWasteful({ original, generated, expansion }: Bm25Index): boolean {
  const live = original.live + generated.live + expansion.live;
  const dead = original.size + generated.size + expansion.size - live;
  return dead > live + negligible;
}

/** The same index without what was removed; it answers every search alike. No key may come or go meanwhile. */
export async function compacted(index: Bm25Index, pacer: Pacer): Promise<Bm25Index> {
  const fresh = new Bm25Index(index.analyser, index.parameters);
  const terms = index.vocabulary.terms();
  const numberOf = (term: number) => fresh.vocabulary.intern(terms[term]);
  for (const key of index.livingKeys()) {
    fresh.insert(key, renumbered(index.field(key.kind).counts(key.slot), numberOf));
    await pacer.pause();
  }
  await fresh.refreshPaced(pacer);
  return fresh;
}

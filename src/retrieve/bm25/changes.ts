import { createPacer } from '../../base/pacer.ts';
import type { IndexKey } from '../../keys/types.ts';
import { resolveChanges } from '../key-changes.ts';
import type { KeyChanges } from '../types.ts';
import type { Bm25Index } from './bm25-index.ts';
import { countTerms, keyFrequencies, type TermCounts } from './term-counts.ts';

interface CountedKey {
  readonly key: Pick<IndexKey, 'id' | 'documentId' | 'kind'>;
  readonly counts: TermCounts;
}

/**
 * Makes an index follow a commit: everything or, when the changes do not fit together or the signal aborts, nothing.
 * A document whose original key goes takes its other keys with it, unless another original key takes its place in the
 * same call. Throws as `resolveChanges` says. No other change may run meanwhile.
 */
export async function applyChanges(
  index: Bm25Index,
  changes: KeyChanges,
  signal?: AbortSignal,
): Promise<void> {
  const { added, removed } = resolveChanges(index, changes);
  // Analysis takes nearly all the time and changes nothing that a search sees, so it may be interrupted.
  const pacer = createPacer(signal);
  const counted: CountedKey[] = [];
  for (const key of added) {
    counted.push({ key, counts: countTerms(index.vocabulary, keyFrequencies(index.analyser, key)) });
    await pacer.pause();
  }

  const originals = counted.filter(({ key }) => key.kind === 'original');
  const surviving = originals.flatMap(({ key }) => survivors(index, key.documentId, removed));
  for (const id of removed) index.remove(id);
  for (const { key, counts } of originals) index.insert(key, counts);
  for (const { key, counts } of surviving) index.insert(key, counts);
  for (const { key, counts } of counted) if (key.kind !== 'original') index.insert(key, counts);
}

/** The other keys of a document, which stay although its original key is replaced. */
function survivors(index: Bm25Index, documentId: string, removed: ReadonlySet<string>): CountedKey[] {
  const number = index.documentNumber(documentId);
  if (number === undefined) return [];
  const expansion = index.expansionSlot(number);
  const keep = (kind: 'generated' | 'expansion', slot: number): CountedKey => ({
    key: { id: index[kind].ids[slot], documentId, kind },
    counts: index[kind].counts(slot),
  });
  return [
    ...index.generatedSlots(number).map((slot) => keep('generated', slot)),
    ...(expansion >= 0 ? [keep('expansion', expansion)] : []),
  ].filter(({ key }) => !removed.has(key.id));
}

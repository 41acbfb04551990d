import { createPacer } from '../../base/pacer.ts';
import type { IndexKey } from '../../keys/types.ts';
import { resolveChanges } from '../key-changes.ts';
import type { KeyChanges } from '../types.ts';
import type { Bm25Index, StagedKey } from './bm25-index.ts';
import type { TermCounts } from './term-counts.ts';

interface CountedKey {
  readonly key: Pick<IndexKey, 'id' | 'documentId' | 'kind'>;
  readonly counts: TermCounts;
}

/**
 * Makes an index follow a commit: everything or, when the changes do not fit together or the signal aborts, nothing.
 * A document whose original key goes takes its other keys with it, unless another original key takes its place in the
 * same call. Throws as `resolveChanges` says. No other change may run meanwhile.
 * @param ready called when all is prepared and nothing can fail any more but itself; the change shows once it is done
 */
export async function applyChanges(
  index: Bm25Index,
  changes: KeyChanges,
  signal?: AbortSignal,
  ready?: () => Promise<void>,
): Promise<void> {
  const { added, removed } = resolveChanges(index, changes);
  // Analysing and staging take nearly all the time and change nothing that a search sees, so they may be interrupted.
  const pacer = createPacer(signal);
  const counted: CountedKey[] = [];
  for (const key of added) {
    counted.push({ key, counts: index.count(key) });
    await pacer.pause();
  }

  const staged: StagedKey[] = [];
  const opened = new Map<string, number>();
  const stage = async ({ key, counts }: CountedKey): Promise<StagedKey> => {
    const one = index.stage(key, counts, opened.get(key.documentId));
    staged.push(one);
    await pacer.pause();
    return one;
  };
  const originals = counted.filter(({ key }) => key.kind === 'original');
  for (const original of originals) opened.set(original.key.documentId, (await stage(original)).slot);
  for (const { key } of originals) {
    for (const survivor of survivors(index, key.documentId, removed)) await stage(survivor);
  }
  for (const other of counted) if (other.key.kind !== 'original') await stage(other);

  await ready?.();
  // From here to the end of the loops nothing waits: a search sees all of it or nothing.
  for (const id of removed) index.remove(id);
  for (const key of staged) index.revive(key);
  await index.refreshPaced(createPacer());
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

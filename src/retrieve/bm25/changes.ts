import { SelfIndexError } from '../../base/errors.ts';
import { createPacer } from '../../base/pacer.ts';
import type { IndexKey } from '../../keys/types.ts';
import type { KeyChanges } from '../types.ts';
import type { Bm25Index } from './bm25-index.ts';
import { countTerms, keyFrequencies, type TermCounts } from './term-counts.ts';

interface CountedKey {
  readonly key: Pick<IndexKey, 'id' | 'documentId' | 'kind'>;
  readonly counts: TermCounts;
}

/**
 * Makes an index follow a commit: everything or, when the changes do not fit together or the signal aborts, nothing.
 * Removing a key that is absent and adding one that is there change nothing. A document whose original key goes takes
 * its other keys with it, unless another original key takes its place in the same call.
 * @throws SelfIndexError `invalid-argument` for a key of a document that has no original key, and for a second original
 * or expansion key of one document.
 */
export async function applyChanges(
  index: Bm25Index,
  changes: KeyChanges,
  signal?: AbortSignal,
): Promise<void> {
  const removed = new Set(changes.removed.map((key) => key.id));
  const added = new Map<string, IndexKey>();
  for (const key of changes.added) {
    if (!index.place(key.id) || removed.has(key.id)) added.set(key.id, key);
  }
  check(index, removed, [...added.values()]);

  // Analysis takes nearly all the time and changes nothing that a search sees, so it may be interrupted.
  const pacer = createPacer(signal);
  const counted: CountedKey[] = [];
  for (const key of added.values()) {
    counted.push({ key, counts: countTerms(index.vocabulary, keyFrequencies(index.analyser, key)) });
    await pacer.pause();
  }
  check(index, removed, [...added.values()]);

  const replaced = counted.filter(
    ({ key }) => key.kind === 'original' && index.documentNumber(key.documentId) !== undefined,
  );
  const surviving = replaced.flatMap(({ key }) => survivors(index, key.documentId, removed));
  for (const id of removed) index.remove(id);
  for (const { key, counts } of counted) if (key.kind === 'original') index.insert(key, counts);
  for (const { key, counts } of surviving) index.insert(key, counts);
  for (const { key, counts } of counted) if (key.kind !== 'original') index.insert(key, counts);
}

function check(index: Bm25Index, removed: ReadonlySet<string>, added: readonly IndexKey[]): void {
  const originals = new Set<string>();
  const expansions = new Set<string>();
  const stays = (id: string) => !removed.has(id);
  for (const key of added) {
    if (key.kind !== 'original') continue;
    const number = index.documentNumber(key.documentId);
    if (originals.has(key.documentId) || (number !== undefined && stays(index.original.ids[number]))) {
      throw refusal(key, 'has an original key already. Remove that one in the same call');
    }
    originals.add(key.documentId);
  }
  for (const key of added) {
    if (key.kind === 'original') continue;
    const number = index.documentNumber(key.documentId);
    const stayed = number !== undefined && stays(index.original.ids[number]);
    if (!stayed && !originals.has(key.documentId)) {
      throw refusal(key, 'has no original key in the index. Add the document first');
    }
    if (key.kind !== 'expansion') continue;
    const present = number === undefined ? -1 : index.expansionOf(number);
    if (expansions.has(key.documentId) || (present >= 0 && stays(index.expansion.ids[present]))) {
      throw refusal(key, 'has an expansion key already. Remove that one in the same call');
    }
    expansions.add(key.documentId);
  }
}

function refusal(key: IndexKey, problem: string): SelfIndexError {
  const message = `The ${key.kind} key ${JSON.stringify(key.id)} cannot be added: its document ${problem}.`;
  return new SelfIndexError('invalid-argument', message, {
    details: { keyId: key.id, documentId: key.documentId },
  });
}

function survivors(index: Bm25Index, documentId: string, removed: ReadonlySet<string>): CountedKey[] {
  const number = index.documentNumber(documentId);
  if (number === undefined) return [];
  const expansion = index.expansionOf(number);
  const keep = (kind: 'generated' | 'expansion', slot: number): CountedKey => ({
    key: { id: index[kind].ids[slot], documentId, kind },
    counts: index[kind].counts(slot),
  });
  return [
    ...index.generatedOf(number).map((slot) => keep('generated', slot)),
    ...(expansion >= 0 ? [keep('expansion', expansion)] : []),
  ].filter(({ key }) => !removed.has(key.id));
}

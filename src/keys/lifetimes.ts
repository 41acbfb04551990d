import { compareIds } from '../base/order.ts';
import { SelfIndexError } from '../base/errors.ts';
import type { Document } from '../corpus/types.ts';
import { makeOriginalKey } from './key-id.ts';
import type { IndexKey, KeyRecord, KeySet } from './types.ts';

/** Is the record's key in the index in that version? */
export function isAlive(record: KeyRecord, version: number): boolean {
  return record.born <= version && (record.died === null || version < record.died);
}

/** The records whose keys are in the index in that version, in their order. */
export function aliveAt(records: readonly KeyRecord[], version: number): KeyRecord[] {
  return records.filter((record) => isAlive(record, version));
}

/**
 * K(d) of every document in that version, in the order of `documents`. Generated keys are in the order in which they
 * were accepted: by birth, then by id. Records of documents that are not given are left out.
 */
export function keySetsAt(
  records: readonly KeyRecord[],
  documents: readonly Document[],
  version: number,
): Map<string, KeySet> {
  const generated = new Map<string, IndexKey[]>();
  const expansions = new Map<string, IndexKey>();
  const alive = aliveAt(records, version).sort((a, b) => a.born - b.born || compareIds(a.id, b.id));
  for (const record of alive) {
    const key = withoutLifetime(record);
    if (key.kind === 'expansion') expansions.set(key.documentId, key);
    if (key.kind !== 'generated') continue;
    const siblings = generated.get(key.documentId);
    if (siblings) siblings.push(key);
    else generated.set(key.documentId, [key]);
  }
  return new Map(
    documents.map((document) => {
      const expansion = expansions.get(document.id);
      const keySet: KeySet = {
        documentId: document.id,
        original: makeOriginalKey(document),
        generated: generated.get(document.id) ?? [],
        ...(expansion && { expansion }),
      };
      return [document.id, keySet];
    }),
  );
}

/**
 * What a rollback from version `current` to version `target` commits as version current + 1: the keys that live in
 * `target` and no longer in `current` are born again, under their old ids; those that live in `current` and not in
 * `target` die. History stays as it was.
 * @throws SelfIndexError `version-not-found` when `target` is not a version up to `current`.
 */
export function planRollback(
  records: readonly KeyRecord[],
  current: number,
  target: number,
): { born: KeyRecord[]; died: string[] } {
  if (!Number.isInteger(target) || target < 0 || target > current) {
    throw new SelfIndexError(
      'version-not-found',
      `There is no version ${target}: the index has versions 0 to ${current}. Choose one of those.`,
      { details: { target, current } },
    );
  }
  const now = new Set(aliveAt(records, current).map((record) => record.id));
  const then = aliveAt(records, target);
  const wanted = new Set(then.map((record) => record.id));
  return {
    born: then
      .filter((record) => !now.has(record.id))
      .map((record) => ({ ...record, born: current + 1, died: null })),
    died: [...now].filter((id) => !wanted.has(id)),
  };
}

function withoutLifetime({ id, documentId, kind, text, origin }: KeyRecord): IndexKey {
  return { id, documentId, kind, text, origin };
}

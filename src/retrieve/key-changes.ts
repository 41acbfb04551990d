import { SelfIndexError } from '../base/errors.ts';
import type { IndexKey } from '../keys/types.ts';
import type { KeyChanges } from './types.ts';

/** What a retriever holds, for checking changes against it. */
export interface HeldKeys {
  has(keyId: string): boolean;
  /** Id of the document's original key. */
  originalOf(documentId: string): string | undefined;
  expansionOf(documentId: string): string | undefined;
}

export interface ResolvedChanges {
  /** Keys that are not there, or are removed in the same call; each id once. */
  readonly added: readonly IndexKey[];
  readonly removed: ReadonlySet<string>;
}

/**
 * What changes come to: removing a key that is absent and adding one that is there change nothing.
 * @throws SelfIndexError `invalid-argument` for a key of a document that has no original key, and for a second original
 * or expansion key of one document
 */
export function resolveChanges(held: HeldKeys, changes: KeyChanges): ResolvedChanges {
  const removed = new Set(changes.removed.map((key) => key.id));
  const stays = (id: string | undefined) => id !== undefined && !removed.has(id);
  const added = new Map<string, IndexKey>();
  for (const key of changes.added) {
    if (!held.has(key.id) || removed.has(key.id)) added.set(key.id, key);
  }
  const originals = new Set<string>();
  const expansions = new Set<string>();
  for (const key of added.values()) {
    if (key.kind !== 'original') continue;
    if (originals.has(key.documentId) || stays(held.originalOf(key.documentId))) {
      throw refusal(key, 'has an original key already. Remove that one in the same call');
    }
    originals.add(key.documentId);
  }
  for (const key of added.values()) {
    if (key.kind === 'original') continue;
    if (!originals.has(key.documentId) && !stays(held.originalOf(key.documentId))) {
      throw refusal(key, 'has no original key in the index. Add the document first');
    }
    if (key.kind !== 'expansion') continue;
    if (expansions.has(key.documentId) || stays(held.expansionOf(key.documentId))) {
      throw refusal(key, 'has an expansion key already. Remove that one in the same call');
    }
    expansions.add(key.documentId);
  }
  return { added: [...added.values()], removed };
}

function refusal(key: IndexKey, problem: string): SelfIndexError {
  const message = `The ${key.kind} key ${JSON.stringify(key.id)} cannot be added: its document ${problem}.`;
  return new SelfIndexError('invalid-argument', message, {
    details: { keyId: key.id, documentId: key.documentId },
  });
}

import type { IndexKey, KeySet } from './types.ts';

/** The keys that are texts of the document's own language: the original, then the generated ones; never the expansion key. */
export function textKeys(keySet: KeySet): readonly IndexKey[] {
  return [keySet.original, ...keySet.generated];
}

/** Everything that a retriever indexes for a document. */
export function allKeys(keySet: KeySet): readonly IndexKey[] {
  return keySet.expansion ? [...textKeys(keySet), keySet.expansion] : textKeys(keySet);
}

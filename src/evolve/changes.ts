import type { IndexKey, KeyRecord, KeySet } from '../keys/types.ts';

/** Keys that a version brings and takes. */
export interface KeyDelta {
  readonly born: readonly IndexKey[];
  readonly died: readonly IndexKey[];
}

export const noChange: KeyDelta = { born: [], died: [] };

export function joinDeltas(a: KeyDelta, b: KeyDelta): KeyDelta {
  return { born: [...a.born, ...b.born], died: [...a.died, ...b.died] };
}

export function reverseDelta(delta: KeyDelta): KeyDelta {
  return { born: delta.died, died: delta.born };
}

export function isEmptyDelta(delta: KeyDelta): boolean {
  return delta.born.length === 0 && delta.died.length === 0;
}

/** What turns a document's generated keys into `after`. */
export function generatedDelta(keys: KeySet, after: readonly IndexKey[]): KeyDelta {
  const before = new Set(keys.generated.map((key) => key.id));
  const wanted = new Set(after.map((key) => key.id));
  return {
    born: after.filter((key) => !before.has(key.id)),
    died: keys.generated.filter((key) => !wanted.has(key.id)),
  };
}

/** What makes the wanted expansion keys the living ones; a document without one loses its own. */
export function expansionDelta(
  keySets: ReadonlyMap<string, KeySet>,
  wanted: ReadonlyMap<string, IndexKey>,
): KeyDelta {
  const born: IndexKey[] = [];
  const died: IndexKey[] = [];
  for (const [documentId, { expansion }] of keySets) {
    const next = wanted.get(documentId);
    if (next?.id === expansion?.id) continue;
    if (expansion) died.push(expansion);
    if (next) born.push(next);
  }
  return { born, died };
}

/** The records of a delta's births, as a commit of `version` stores them. */
export function bornRecords(delta: KeyDelta, version: number): KeyRecord[] {
  return delta.born.map((key) => ({ ...key, born: version, died: null }));
}

import { planRollback } from '../keys/lifetimes.ts';
import type { IndexKey, KeyRecord } from '../keys/types.ts';
import type { IndexStore } from '../store/types.ts';
import type { IndexState } from './state.ts';

/**
 * Commits a version whose keys are those of an earlier one and makes the state follow; nothing of the history is lost.
 * @returns the new version
 * @throws SelfIndexError `version-not-found`
 */
export async function rollBack(
  state: IndexState,
  store: IndexStore,
  target: number,
  at: number,
): Promise<number> {
  const records = await store.keys();
  const parent = state.version;
  const { born, died } = planRollback(records, parent, target);
  const version = parent + 1;
  await store.commit({
    version: { version, parent, kind: 'rollback', at, restores: target },
    born,
    died,
    revisions: [],
    queries: [],
  });
  const ids = new Set(died);
  const living = records.filter((record) => record.died === null && ids.has(record.id));
  await state.apply({ born: born.map(withoutLifetime), died: living.map(withoutLifetime) });
  state.advance(version);
  return version;
}

function withoutLifetime({ id, documentId, kind, text, origin }: KeyRecord): IndexKey {
  return { id, documentId, kind, text, origin };
}

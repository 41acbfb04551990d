import type { KeyHistory } from '../../evolve/types.ts';
import type { IndexKey, Revision, Verdict } from '../../keys/types.ts';

/** One key with what is known of its life. */
export interface KeyStory {
  readonly key: IndexKey;
  /** Version in which it was born; null for the original key, which was always there. */
  readonly born: number | null;
  readonly died: number | null;
  /** The last verdict on it; absent for keys that no gate judges. */
  readonly verdict?: Verdict;
}

export interface KeyStories {
  readonly living: readonly KeyStory[];
  /** The most recently dead first. */
  readonly gone: readonly KeyStory[];
  /** Newest first. */
  readonly revisions: readonly Revision[];
}

/** A document's keys, living and dead, each with its last verdict. */
export function keyStories(keys: readonly IndexKey[], history: KeyHistory): KeyStories {
  const verdicts = new Map<string, Verdict>();
  for (const revision of history.revisions) {
    for (const verdict of revision.verdicts) verdicts.set(verdict.keyId, verdict);
  }
  const alive = new Map(
    history.records.filter((record) => record.died === null).map((record) => [record.id, record.born]),
  );
  return {
    living: keys.map((key) => ({
      key,
      born: alive.get(key.id) ?? null,
      died: null,
      verdict: verdicts.get(key.id),
    })),
    gone: history.records
      .filter((record) => record.died !== null && record.kind === 'generated')
      .sort((a, b) => (b.died ?? 0) - (a.died ?? 0))
      .map((record) => ({
        key: record,
        born: record.born,
        died: record.died,
        verdict: verdicts.get(record.id),
      })),
    revisions: [...history.revisions].reverse(),
  };
}

import { byScoreThenId } from '../base/order.ts';
import { wholeKeySet } from '../keys/types.ts';
import type { Diagnosis, FeedbackRecord } from '../keys/types.ts';

export interface Competitor {
  readonly keyId: string;
  readonly text: string;
  /** Queries that retrieved it together with a diagnosed key; the largest over those keys. */
  readonly count: number;
}

/**
 * C_d (paper, A.1.3): the union of the supports of the diagnosed keys' profiles; of all current keys when the whole
 * key set is diagnosed. Most often co-retrieved first, ties by key id.
 */
export function competingKeys(record: FeedbackRecord, diagnosis: Diagnosis): Competitor[] {
  const diagnosed = new Set(diagnosis.shortfalls.map((shortfall) => shortfall.key));
  const all = diagnosed.has(wholeKeySet);
  const union = new Map<string, Competitor>();
  for (const profile of record.profiles) {
    if (!all && !diagnosed.has(profile.keyId)) continue;
    for (const { keyId, text, count } of profile.with) {
      const known = union.get(keyId);
      if (!known || known.count < count) union.set(keyId, { keyId, text, count });
    }
  }
  return [...union.values()].sort(
    byScoreThenId(
      (c) => c.count,
      (c) => c.keyId,
    ),
  );
}

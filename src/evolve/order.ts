import { byScoreThenId } from '../base/order.ts';
import type { FeedbackRecord } from '../keys/types.ts';

/** What earlier iterations found out about a document. */
export interface Experience {
  readonly visits: number;
  readonly acceptances: number;
}

/** Weight of one query that retrieves a key at a deep rank without a known source: weak evidence of confusion. */
const deepRowGain = 0.02;
const deepRank = 10;

/**
 * Expected gain of looking at a document: what nDCG its known queries have left to win (1 − 1/log2(rank + 1), all of it
 * where the query missed), a little for many retrievals at deep ranks, less for each earlier visit that led nowhere.
 */
export function expectedGain(record: FeedbackRecord, experience?: Experience): number {
  const own = new Map<string, number>();
  let deep = 0;
  for (const row of record.rows) {
    if (row.query.sourceDocumentId === record.documentId) own.set(row.query.id, row.documentRank);
    else if (row.rank > deepRank) deep++;
  }
  let gain = record.missed.length;
  for (const rank of own.values()) gain += 1 - 1 / Math.log2(rank + 1);
  gain += deepRowGain * Math.min(deep, deepRank);
  const refusals = experience ? experience.visits - experience.acceptances : 0;
  return gain * 0.5 ** refusals;
}

/** `paper`: by document id, every record. `gain`: best expected gain first, ties by id. */
export function orderRecords(
  records: readonly FeedbackRecord[],
  order: 'paper' | 'gain',
  experience: ReadonlyMap<string, Experience>,
): FeedbackRecord[] {
  if (order === 'paper') return [...records];
  const gains = new Map(records.map((r) => [r.documentId, expectedGain(r, experience.get(r.documentId))]));
  return [...records].sort(
    byScoreThenId(
      (r) => gains.get(r.documentId) ?? 0,
      (r) => r.documentId,
    ),
  );
}

import type { EvolutionQuery, FeedbackRecord } from '../../keys/types.ts';
import { compareIds } from '../../base/order.ts';

/** A search that should have found the document near the top and did not. */
export interface LowSearch {
  readonly query: EvolutionQuery;
  /** From 1; 0 where it was not found within the depth. */
  readonly rank: number;
}

/** From this rank on a known answer counts as low: people look at three. */
export const lowRank = 4;

/** Searches whose known answer is this document and which ranked it low or missed it; the worst first. */
export function lowSearches(record: FeedbackRecord): LowSearch[] {
  const found = new Map<string, LowSearch>();
  for (const query of record.missed) found.set(query.id, { query, rank: 0 });
  for (const { query, documentRank } of record.rows) {
    if (query.sourceDocumentId !== record.documentId) continue;
    if (documentRank === 0 || documentRank >= lowRank) found.set(query.id, { query, rank: documentRank });
  }
  const depth = (search: LowSearch) => (search.rank === 0 ? Infinity : search.rank);
  return [...found.values()].sort(
    (a, b) => Number(depth(b) > depth(a)) - Number(depth(b) < depth(a)) || compareIds(a.query.id, b.query.id),
  );
}

/** A generated key that many searches met beside many other documents and that never led any of them. */
export interface IndistinctKey {
  readonly keyId: string;
  readonly text: string;
  readonly searches: number;
  readonly bestRank: number;
  readonly others: number;
}

const fewestSearches = 3;
const deepestLead = 10;
const fewestOthers = 20;

/**
 * Co-retrieval alone is no proof of a fault, so a key counts as indistinct only when several searches retrieved it, none
 * of them among its first ten, and always in a crowd.
 */
export function indistinctKeys(record: FeedbackRecord): IndistinctKey[] {
  const found: IndistinctKey[] = [];
  for (const key of record.keys.generated) {
    const rows = record.rows.filter((row) => row.keyId === key.id);
    const bestRank = rows.reduce((best, row) => Math.min(best, row.rank), Infinity);
    const profile = record.profiles.find((one) => one.keyId === key.id);
    const others = new Set(profile?.with.map((one) => one.documentId)).size;
    if (rows.length >= fewestSearches && bestRank > deepestLead && others >= fewestOthers)
      found.push({ keyId: key.id, text: key.text, searches: rows.length, bestRank, others });
  }
  return found;
}

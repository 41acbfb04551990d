import { byScoreThenId, compareIds } from '../base/order.ts';
import { createPacer } from '../base/pacer.ts';
import type { Document } from '../corpus/types.ts';
import { textKeys } from '../keys/text-keys.ts';
import type {
  CoRetrievalProfile,
  EvolutionQuery,
  FeedbackRecord,
  FeedbackRow,
  IndexKey,
  KeySet,
} from '../keys/types.ts';
import type { KeyHit } from '../retrieve/types.ts';

export interface Snapshot {
  readonly documents: ReadonlyMap<string, Document>;
  readonly keySets: ReadonlyMap<string, KeySet>;
}

/**
 * Algorithm 2 (paper, A.1.2): one record per document with at least one retrieved key.
 *
 * @param hits per query its top-K keys, score descending, ties by id
 * @param withMissed also a record for a document that is the known source of a query but was not retrieved at all;
 *   the paper has none, since it never knows the source
 * @returns records in order of document id
 */
export async function collectFeedback(
  queries: readonly EvolutionQuery[],
  hits: readonly (readonly KeyHit[])[],
  snapshot: Snapshot,
  { withMissed = false, signal }: { withMissed?: boolean; signal?: AbortSignal } = {},
): Promise<FeedbackRecord[]> {
  const rows = new Map<string, FeedbackRow[]>();
  const missed = new Map<string, EvolutionQuery[]>();
  const together = new Map<string, Map<string, number>>();
  const documentOf = new Map<string, string>();

  const pacer = createPacer(signal);
  for (const [index, query] of queries.entries()) {
    await pacer.pause();
    const retrieved = hits[index];
    const documentRanks = ranksByDocument(retrieved);
    retrieved.forEach((hit, position) => {
      documentOf.set(hit.keyId, hit.documentId);
      push(rows, hit.documentId, {
        query,
        keyId: hit.keyId,
        rank: position + 1,
        score: hit.score,
        documentRank: documentRanks.get(hit.documentId) ?? 0,
      });
      countOthers(together, hit, retrieved);
    });
    const source = query.sourceDocumentId;
    if (source !== undefined && snapshot.documents.has(source) && !documentRanks.has(source))
      push(missed, source, query);
  }

  const ids = new Set(rows.keys());
  if (withMissed) for (const id of missed.keys()) ids.add(id);
  const textOf = keyTexts(snapshot.keySets);
  const records: FeedbackRecord[] = [];
  for (const documentId of [...ids].sort(compareIds)) {
    await pacer.pause();
    const document = snapshot.documents.get(documentId);
    const keys = snapshot.keySets.get(documentId);
    if (!document || !keys) continue;
    records.push({
      documentId,
      title: document.title,
      text: document.text,
      headings: document.source?.headings,
      keys,
      profiles: textKeys(keys).map((key) => profileOf(key, together.get(key.id), documentOf, textOf)),
      rows: rows.get(documentId) ?? [],
      missed: missed.get(documentId) ?? [],
    });
  }
  return records;
}

/** Rank of each document by its best key: s(q, d) is the maximum, so its first key in the list decides. */
function ranksByDocument(hits: readonly KeyHit[]): Map<string, number> {
  const ranks = new Map<string, number>();
  for (const hit of hits) if (!ranks.has(hit.documentId)) ranks.set(hit.documentId, ranks.size + 1);
  return ranks;
}

function countOthers(
  together: Map<string, Map<string, number>>,
  hit: KeyHit,
  retrieved: readonly KeyHit[],
): void {
  let counts = together.get(hit.keyId);
  if (!counts) {
    counts = new Map<string, number>();
    together.set(hit.keyId, counts);
  }
  for (const other of retrieved) {
    if (other.documentId !== hit.documentId) counts.set(other.keyId, (counts.get(other.keyId) ?? 0) + 1);
  }
}

function profileOf(
  key: IndexKey,
  counts: ReadonlyMap<string, number> | undefined,
  documentOf: ReadonlyMap<string, string>,
  textOf: ReadonlyMap<string, string>,
): CoRetrievalProfile {
  const others = [...(counts ?? [])].map(([keyId, count]) => ({
    keyId,
    documentId: documentOf.get(keyId) ?? '',
    text: textOf.get(keyId) ?? '',
    count,
  }));
  return {
    keyId: key.id,
    with: others.sort(
      byScoreThenId(
        (o) => o.count,
        (o) => o.keyId,
      ),
    ),
  };
}

function keyTexts(keySets: ReadonlyMap<string, KeySet>): Map<string, string> {
  const texts = new Map<string, string>();
  for (const set of keySets.values()) for (const key of textKeys(set)) texts.set(key.id, key.text);
  return texts;
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

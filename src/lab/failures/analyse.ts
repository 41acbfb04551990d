import { ndcg } from '../measures.ts';
import type { Aggregate, DocumentHit } from '../../retrieve/types.ts';

/** Documents per ranking that an analysis looks at; a rank beyond is 0. */
export const analysedDepth = 20;

/**
 * What lifted the document that overtook: one of its generated keys, its expansion key; `key lost`: nothing did, the relevant
 * document's own score fell; `no key`: neither, as where fused ranks shift.
 */
export const causes = ['generated key', 'expansion key', 'key lost', 'another relevant', 'no key'] as const;
export type Cause = (typeof causes)[number];

/** One judged query in two versions of an index, best first. */
export interface JudgedRankings {
  readonly id: string;
  readonly text: string;
  readonly judgements: ReadonlyMap<string, number>;
  readonly before: readonly DocumentHit[];
  readonly after: readonly DocumentHit[];
}

export type Ranks = readonly [before: number, after: number];

/** A relevant document that fell, and what newly stands above it. */
export interface Fall {
  readonly queryId: string;
  readonly query: string;
  /** nDCG@10 of the query. */
  readonly ndcg: readonly [before: number, after: number];
  readonly documentId: string;
  /** From 1; 0 beyond `analysedDepth`. */
  readonly ranks: Ranks;
  readonly cause: Cause;
  /** The best document of a lower judgement that stood below it before; absent where there is none. */
  readonly overtakenBy?: {
    readonly documentId: string;
    readonly ranks: Ranks;
    /** The text key that scored best. */
    readonly keyId: string;
  };
}

export interface Falls {
  /** One per query whose nDCG@10 fell: its relevant document that lost the most; the largest loss of nDCG first. */
  readonly worse: readonly Fall[];
  /** Every relevant document that was among the first ten and is not now; by query. */
  readonly left: readonly Fall[];
}

/** Sums in another order may differ in the last bits: that is not a change. */
const rounding = 1e-9;

/** What an evolution made worse, and which kind of key did it. Pure. */
export function analyseFalls(queries: readonly JudgedRankings[], aggregate: Aggregate): Falls {
  const worse: Fall[] = [];
  const left: Fall[] = [];
  for (const query of queries) {
    const values = [query.before, query.after].map((hits) => ndcgOf(hits, query.judgements));
    const falling = fallingDocuments(query);
    const fallOf = (document: Falling) => explain(query, document, [values[0], values[1]], aggregate);
    for (const document of falling) if (leavesTopTen(document.ranks)) left.push(fallOf(document));
    if (values[1] >= values[0] - rounding || falling.length === 0) continue;
    worse.push(fallOf(falling.reduce((a, b) => (b.loss > a.loss ? b : a))));
  }
  worse.sort((a, b) => b.ndcg[0] - b.ndcg[1] - (a.ndcg[0] - a.ndcg[1]));
  return { worse, left };
}

/** How often each cause is named. */
export function countCauses(falls: readonly Pick<Fall, 'cause'>[]): Record<Cause, number> {
  const counts = Object.fromEntries(causes.map((cause) => [cause, 0])) as Record<Cause, number>;
  for (const { cause } of falls) counts[cause]++;
  return counts;
}

interface Falling {
  readonly documentId: string;
  readonly ranks: Ranks;
  /** Of discounted gain within the first ten. */
  readonly loss: number;
}

function ndcgOf(hits: readonly DocumentHit[], judgements: ReadonlyMap<string, number>): number {
  return ndcg(
    hits.map(({ documentId }) => documentId),
    judgements,
    10,
  );
}

function leavesTopTen([before, after]: Ranks): boolean {
  return before >= 1 && before <= 10 && (after === 0 || after > 10);
}

function fallingDocuments({ before, after, judgements }: JudgedRankings): Falling[] {
  return [...judgements].flatMap(([documentId, gain]) => {
    if (gain <= 0) return [];
    const ranks: Ranks = [rankIn(before, documentId), rankIn(after, documentId)];
    const loss = gain * (discount(ranks[0]) - discount(ranks[1]));
    return loss > rounding ? [{ documentId, ranks, loss }] : [];
  });
}

function rankIn(hits: readonly DocumentHit[], documentId: string): number {
  return hits.slice(0, analysedDepth).findIndex((hit) => hit.documentId === documentId) + 1;
}

function discount(rank: number): number {
  return rank === 0 || rank > 10 ? 0 : 1 / Math.log2(rank + 1);
}

function explain(
  query: JudgedRankings,
  { documentId, ranks }: Falling,
  values: Fall['ndcg'],
  aggregate: Aggregate,
): Fall {
  const { before, after, judgements } = query;
  const gain = judgements.get(documentId) ?? 0;
  const above = after.slice(0, ranks[1] === 0 ? analysedDepth : ranks[1] - 1);
  const newlyAbove = above.filter((hit) => {
    const was = rankIn(before, hit.documentId);
    return was === 0 || was > ranks[0];
  });
  const overtaker = newlyAbove.find((hit) => (judgements.get(hit.documentId) ?? 0) < gain);
  const victims = [before, after].map((hits) => hits.find((hit) => hit.documentId === documentId));
  const unlifted = hasLost(victims) ? 'key lost' : 'no key';
  const cause = overtaker
    ? (liftOf(overtaker, aggregate) ?? unlifted)
    : newlyAbove.length > 0
      ? 'another relevant'
      : unlifted;
  return {
    queryId: query.id,
    query: query.text,
    ndcg: values,
    documentId,
    ranks,
    cause,
    ...(overtaker
      ? {
          overtakenBy: {
            documentId: overtaker.documentId,
            ranks: [rankIn(before, overtaker.documentId), rankIn(after, overtaker.documentId)] as const,
            keyId: overtaker.keyId,
          },
        }
      : {}),
  };
}

/** The kind of key with the largest share of the document's score, in any retriever; undefined where its original text alone counts. */
function liftOf({ components }: DocumentHit, aggregate: Aggregate): Cause | undefined {
  const { blend, boost } = aggregate === 'max' ? { blend: 1, boost: 0 } : aggregate;
  let largest = 0;
  let cause: Cause | undefined;
  const consider = (share: number, by: Cause) => {
    if (share <= largest + rounding) return;
    largest = share;
    cause = by;
  };
  for (const part of [components.bm25, components.dense]) {
    if (!part || part.score <= 0) continue;
    consider((blend * Math.max(0, part.generated - part.original)) / part.score, 'generated key');
    consider((boost * part.expansion) / part.score, 'expansion key');
  }
  return cause;
}

function hasLost([before, after]: readonly (DocumentHit | undefined)[]): boolean {
  if (!before || !after) return false;
  const lower = (kind: 'bm25' | 'dense') =>
    (after.components[kind]?.score ?? 0) < (before.components[kind]?.score ?? 0) - rounding;
  return lower('bm25') || lower('dense');
}

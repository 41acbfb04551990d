import { byScoreThenId } from '../base/order.ts';

/** k of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
export const fusionConstant = 60;

export interface FusedId {
  readonly id: string;
  /** Sum of weight/(k + rank). */
  readonly score: number;
}

/**
 * Reciprocal rank fusion of rankings: an id that a ranking lacks gets nothing from it.
 * @param rankings ids, best first, each at most once
 * @param weights one per ranking; default 1 each
 */
export function reciprocalRankFusion(
  rankings: readonly (readonly string[])[],
  weights?: readonly number[],
): FusedId[] {
  const scores = new Map<string, number>();
  rankings.forEach((ranking, r) => {
    const weight = weights?.[r] ?? 1;
    if (weight === 0) return;
    ranking.forEach((id, i) => scores.set(id, (scores.get(id) ?? 0) + weight / (fusionConstant + i + 1)));
  });
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort(
      byScoreThenId(
        (fused) => fused.score,
        (fused) => fused.id,
      ),
    );
}

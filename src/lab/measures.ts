/** Judgements by query id, then document id: an integer above 0 means relevant, higher is better. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The measures of every report, named as ir_measures names them. */
export const measureNames = ['nDCG@10', 'R@10', 'R@100', 'RR@10'] as const;
export type MeasureName = (typeof measureNames)[number];
export type Measures = Readonly<Record<MeasureName, number>>;

type Judgements = ReadonlyMap<string, number>;

/**
 * Normalised discounted cumulative gain of the first k documents: linear gain, discount log2(rank + 1), the ideal
 * ranking taken from all judgements (Järvelin and Kekäläinen, 2002; trec_eval's ndcg_cut). 0 where nothing is relevant.
 */
export function ndcg(ranking: readonly string[], judgements: Judgements, k: number): number {
  const gains = [...judgements.values()].filter((gain) => gain > 0).sort((a, b) => b - a);
  const ideal = discountedSum(gains, k);
  if (ideal === 0) return 0;
  return (
    discountedSum(
      ranking.slice(0, k).map((id) => Math.max(0, judgements.get(id) ?? 0)),
      k,
    ) / ideal
  );
}

function discountedSum(gains: readonly number[], k: number): number {
  let sum = 0;
  for (let i = 0; i < Math.min(k, gains.length); i++) sum += gains[i] / Math.log2(i + 2);
  return sum;
}

/** Share of all relevant documents among the first k. 0 where nothing is relevant. */
export function recall(ranking: readonly string[], judgements: Judgements, k: number): number {
  const relevant = [...judgements.values()].filter((gain) => gain > 0).length;
  if (relevant === 0) return 0;
  return ranking.slice(0, k).filter((id) => isRelevant(judgements, id)).length / relevant;
}

/** 1 / rank of the first relevant document among the first k; 0 where there is none. */
export function reciprocalRank(ranking: readonly string[], judgements: Judgements, k: number): number {
  const index = ranking.slice(0, k).findIndex((id) => isRelevant(judgements, id));
  return index < 0 ? 0 : 1 / (index + 1);
}

export function isRelevant(judgements: Judgements, id: string): boolean {
  return (judgements.get(id) ?? 0) > 0;
}

/** All measures of one query. `ranking` holds document ids, best first, each at most once. */
export function measureQuery(ranking: readonly string[], judgements: Judgements): Measures {
  return {
    'nDCG@10': ndcg(ranking, judgements, 10),
    'R@10': recall(ranking, judgements, 10),
    'R@100': recall(ranking, judgements, 100),
    'RR@10': reciprocalRank(ranking, judgements, 10),
  };
}

/** Ids of the queries that count: those with a relevant document, in the order of the judgements. */
export function judgedQueries(qrels: Qrels): string[] {
  return [...qrels].filter(([, judgements]) => [...judgements.values()].some((g) => g > 0)).map(([id]) => id);
}

export interface RunMeasures {
  /** By query id, for the queries that count. */
  readonly perQuery: ReadonlyMap<string, Measures>;
  /** Averages over them; a query without a ranking counts as 0. */
  readonly mean: Measures;
}

/** Measures a run: rankings by query id. Averages are over the queries with a relevant document. */
export function measureRun(run: ReadonlyMap<string, readonly string[]>, qrels: Qrels): RunMeasures {
  const perQuery = new Map(
    judgedQueries(qrels).map((id) => [id, measureQuery(run.get(id) ?? [], qrels.get(id) ?? new Map())]),
  );
  const mean = (name: MeasureName) => {
    let sum = 0;
    for (const measures of perQuery.values()) sum += measures[name];
    return perQuery.size === 0 ? 0 : sum / perQuery.size;
  };
  return {
    perQuery,
    mean: {
      'nDCG@10': mean('nDCG@10'),
      'R@10': mean('R@10'),
      'R@100': mean('R@100'),
      'RR@10': mean('RR@10'),
    },
  };
}

/** Queries whose nDCG@10 rose and fell between two versions of one index. */
export function compareRuns(
  before: RunMeasures,
  after: RunMeasures,
): { readonly better: number; readonly worse: number } {
  let better = 0;
  let worse = 0;
  for (const [id, { 'nDCG@10': base }] of before.perQuery) {
    const difference = (after.perQuery.get(id)?.['nDCG@10'] ?? 0) - base;
    if (difference > rounding) better++;
    else if (difference < -rounding) worse++;
  }
  return { better, worse };
}

/** Sums in another order may differ in the last bits: that is not a change. */
const rounding = 1e-9;

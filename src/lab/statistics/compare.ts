import type { MeasureName, RunMeasures } from '../measures.ts';
import { bootstrapInterval, randomisationTest, tally, type Interval } from './paired.ts';

/** Two runs over the same queries by one measure. Plain data. */
export interface Comparison {
  readonly queries: number;
  /** Mean of after − before. */
  readonly difference: number;
  /** Bootstrap percentile interval of it, 95 %. */
  readonly interval: Interval;
  /** Paired randomisation test, two-sided; not corrected for other comparisons. */
  readonly p: number;
  /** All assignments of signs were tried; else 100,000 were drawn. */
  readonly exact: boolean;
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** Compares two runs query by query; a query that one of them lacks counts as 0 there. The seed is fixed: same runs, same figures. */
export function compareBy(measure: MeasureName, before: RunMeasures, after: RunMeasures): Comparison {
  const differences = [...before.perQuery].map(
    ([id, measures]) => (after.perQuery.get(id)?.[measure] ?? 0) - measures[measure],
  );
  const { length } = differences;
  return {
    queries: length,
    difference: length === 0 ? 0 : differences.reduce((sum, one) => sum + one, 0) / length,
    interval: bootstrapInterval(differences),
    ...randomisationTest(differences),
    ...tally(differences),
  };
}

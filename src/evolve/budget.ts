import type { IterationSummary, Usage } from '../keys/types.ts';
import type { Budget } from './types.ts';

export type Spent = Pick<Usage, 'calls' | 'inputTokens' | 'outputTokens' | 'milliseconds'>;

/** The first bound of the budget that is reached, or undefined. Milliseconds are working time, not the clock's. */
export function exhausted(budget: Budget | undefined, spent: Spent): IterationSummary['stoppedBy'] {
  if (!budget) return undefined;
  if (budget.calls !== undefined && spent.calls >= budget.calls) return 'calls';
  if (budget.tokens !== undefined && spent.inputTokens + spent.outputTokens >= budget.tokens) return 'tokens';
  if (budget.minutes !== undefined && spent.milliseconds >= budget.minutes * 60_000) return 'minutes';
  return undefined;
}

/**
 * Seconds until `total` units are done at the pace so far, or until the budget's minutes are spent, whichever comes
 * first; null before there is a pace.
 */
export function secondsLeft(
  done: number,
  total: number,
  milliseconds: number,
  budget: Budget | undefined,
  spentMilliseconds: number,
): number | null {
  if (done === 0) return null;
  const byPace = ((milliseconds / done) * (total - done)) / 1000;
  const byBudget =
    budget?.minutes === undefined ? Infinity : Math.max(0, budget.minutes * 60 - spentMilliseconds / 1000);
  return Math.min(byPace, byBudget);
}

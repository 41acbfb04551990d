import type { QueryPlan } from './plan.ts';

/** `auto` skips work where that pays; the other two are for tests and benchmarks. The results are the same. */
export type Pruning = 'auto' | 'always' | 'never';

/** In units of a posting added to a score: a number offered to a threshold, a list looked up in a row. */
const offerCost = 2;
const lookupCost = 12;
/**
 * With so few postings left, a search is over before thinking about it. Measured: below, no rule of pruning won, for
 * queries of five words or of a whole document.
 */
const fewPostings = 16_384;
/** After a threshold was too low, how far the rest must fall before the next is looked for. */
const nextFraction = 0.6;

/** Decides during one search when to look for a threshold, and when to stop scoring lists because of it. */
export class Pruner {
  private next: number;

  /**
   * @param whole the most that anything can score. What is scored already is at most `whole − rest`, so a threshold can
   * exceed the rest only when less than half is left.
   */
  constructor(
    private readonly pruning: Pruning,
    private readonly plan: QueryPlan,
    whole: number,
  ) {
    this.next = whole / 2;
  }

  /** Is it time to look for a threshold before list `i`? `rest` is the most that something not met yet can score. */
  isTime(i: number, rest: number, met: number): boolean {
    if (this.pruning !== 'auto') return this.pruning === 'always';
    const left = this.plan.postings[i];
    if (rest > this.next || left < fewPostings || left < met * offerCost) return false;
    this.next = rest * nextFraction;
    return true;
  }

  /** Is looking up all lists from `i` on in so many rows cheaper than going through them? */
  isCheaper(i: number, rows: number): boolean {
    return this.pruning === 'always' || rows * (this.plan.count - i) * lookupCost < this.plan.postings[i];
  }
}

/** Does a search meet so many slots that it had better look at all of them? */
export function isDense(plan: QueryPlan, slots: number): boolean {
  return plan.postings[0] > slots;
}

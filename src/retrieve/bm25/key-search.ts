import type { Accumulator } from './accumulate.ts';
import type { Best } from './best.ts';
import type { KeyField } from './key-field.ts';
import { scoreFrom, type QueryPlan } from './plan.ts';
import { isDense, Pruner, type Pruning } from './pruning.ts';
import { Threshold } from './threshold.ts';

/**
 * Exact searches of one field, list at a time with MaxScore: once the lists that are left cannot lift a new key over the
 * threshold, only keys met so far are finished, from their rows. Scores are sums on a grid, so the result is that of the
 * exhaustive search to the bit, ties included.
 */
export class KeySearch {
  private readonly threshold = new Threshold();

  private readonly field: KeyField;

  constructor(
    private readonly accumulator: Accumulator,
    private readonly k1: number,
    private readonly pruning: Pruning,
  ) {
    this.field = accumulator.field;
  }

  /** Offers to `best` every key that may be among its best; `itemOf` names a slot there. */
  collect(plan: QueryPlan, limit: number, best: Best, itemOf: (slot: number) => number): void {
    if (plan.count === 0) return;
    const { accumulator, field, k1 } = this;
    const dense = this.prepare(plan);
    const { threshold, from } = this.run(plan, dense, () =>
      Math.max(this.partialThreshold(dense, limit), best.threshold),
    );
    const { scores, touched } = accumulator;
    const count = this.metCount(dense);
    const rest = plan.rests[0][from];
    // What was not met is at 0 and has at most the rest: below the threshold.
    let least = Math.max(threshold, best.threshold, Number.MIN_VALUE);
    for (let i = 0; i < count; i++) {
      const slot = dense ? i : touched[i];
      const score = scores[slot];
      if (score + rest < least || !field.alive[slot]) continue;
      best.offer(score + (rest > 0 ? scoreFrom(plan, 0, slot, from, k1) : 0), itemOf(slot));
      if (best.threshold > least) least = best.threshold;
    }
    accumulator.clear();
  }

  /** How many living keys score at least `least` (above 0). */
  countFrom(plan: QueryPlan, least: number): number {
    const { accumulator, field, k1 } = this;
    const dense = this.prepare(plan);
    const { from } = this.run(plan, dense, () => least);
    const { scores, touched } = accumulator;
    const met = this.metCount(dense);
    const rest = plan.rests[0][from];
    let count = 0;
    for (let i = 0; i < met; i++) {
      const slot = dense ? i : touched[i];
      const score = scores[slot];
      if (score + rest < least || !field.alive[slot]) continue;
      if (score >= least || score + scoreFrom(plan, 0, slot, from, k1) >= least) count++;
    }
    accumulator.clear();
    return count;
  }

  private prepare(plan: QueryPlan): boolean {
    const dense = isDense(plan, this.field.size);
    this.accumulator.prepare(dense);
    return dense;
  }

  /** How many slots there are to look at: all, or those touched. */
  private metCount(dense: boolean): number {
    return dense ? this.field.size : this.accumulator.touchedCount;
  }

  /** Scores lists until the rest cannot bring in another key; says from which list on scores are unfinished. */
  private run(
    plan: QueryPlan,
    dense: boolean,
    thresholdOf: () => number,
  ): { threshold: number; from: number } {
    const { accumulator } = this;
    const { terms, weights, count } = plan;
    const [rest] = plan.rests;
    const pruner = new Pruner(this.pruning, plan, rest[0]);
    for (let i = 0; i < count; i++) {
      if (pruner.isTime(i, rest[i], this.metCount(dense))) {
        const threshold = thresholdOf();
        if (rest[i] < threshold && pruner.isCheaper(i, this.countPartial(dense, threshold - rest[i]))) {
          return { threshold, from: i };
        }
      }
      accumulator.add(terms[i], weights[i]);
    }
    return { threshold: -Infinity, from: count };
  }

  private partialThreshold(dense: boolean, limit: number): number {
    const { accumulator, field, threshold } = this;
    const { scores, touched } = accumulator;
    const count = this.metCount(dense);
    threshold.reset(limit);
    let least = threshold.value;
    for (let i = 0; i < count; i++) {
      const slot = dense ? i : touched[i];
      if (scores[slot] <= least || !field.alive[slot]) continue;
      threshold.offer(scores[slot]);
      least = threshold.value;
    }
    return least;
  }

  private countPartial(dense: boolean, least: number): number {
    const { scores, touched } = this.accumulator;
    const met = this.metCount(dense);
    let count = 0;
    for (let i = 0; i < met; i++) if (scores[dense ? i : touched[i]] >= least) count++;
    return count;
  }
}

import type { Accumulator } from './accumulate.ts';
import type { Best } from './best.ts';
import type { KeyField } from './key-field.ts';
import { scoreFrom, type QueryPlan } from './plan.ts';
import { worthFinishing, worthTesting, type Pruning } from './pruning.ts';
import { Threshold } from './threshold.ts';

/**
 * Exact searches of one field, term at a time with MaxScore (Turtle and Flood, 1995): terms that can add most come
 * first; once the rest cannot lift a new key over the threshold, only keys met so far are finished, from their rows.
 * Scores are sums on a grid, so the result is that of the exhaustive search to the bit, ties included.
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
    const { accumulator, field, k1 } = this;
    const { threshold, from } = this.run(plan, () => this.partialThreshold(limit, best.threshold));
    const rest = plan.fields[0].rest[from];
    for (let i = 0; i < accumulator.touchedCount; i++) {
      const slot = accumulator.touched[i];
      const partial = accumulator.scores[slot];
      if (!field.alive[slot] || partial + rest < Math.max(threshold, best.threshold)) continue;
      best.offer(partial + scoreFrom(plan, plan.fields[0], slot, from, k1), itemOf(slot));
    }
    accumulator.clear();
  }

  /** How many living keys score at least `least` (above 0). */
  countFrom(plan: QueryPlan, least: number): number {
    const { accumulator, field, k1 } = this;
    const { from } = this.run(plan, () => least);
    const rest = plan.fields[0].rest[from];
    let count = 0;
    for (let i = 0; i < accumulator.touchedCount; i++) {
      const slot = accumulator.touched[i];
      const partial = accumulator.scores[slot];
      if (!field.alive[slot] || partial + rest < least) continue;
      if (partial >= least || partial + scoreFrom(plan, plan.fields[0], slot, from, k1) >= least) count++;
    }
    accumulator.clear();
    return count;
  }

  /** Scores terms until the rest cannot bring in another key; says from which term on scores are unfinished. */
  private run(plan: QueryPlan, thresholdOf: () => number): { threshold: number; from: number } {
    const { accumulator } = this;
    const { terms, postings } = plan;
    const { weights, rest } = plan.fields[0];
    accumulator.prepare();
    for (let i = 0; i < terms.length; i++) {
      if (worthTesting(this.pruning, postings[i], accumulator.touchedCount)) {
        const threshold = thresholdOf();
        if (rest[i] < threshold) {
          const lookups = this.countAbove(threshold - rest[i]) * (terms.length - i);
          if (worthFinishing(this.pruning, postings[i], lookups)) return { threshold, from: i };
        }
      }
      accumulator.add(terms[i], weights[i]);
    }
    return { threshold: -Infinity, from: terms.length };
  }

  private partialThreshold(limit: number, known: number): number {
    const { accumulator, field, threshold } = this;
    threshold.reset(limit);
    for (let i = 0; i < accumulator.touchedCount; i++) {
      const slot = accumulator.touched[i];
      if (field.alive[slot]) threshold.offer(accumulator.scores[slot]);
    }
    return Math.max(threshold.value, known);
  }

  private countAbove(least: number): number {
    const { scores, touched, touchedCount } = this.accumulator;
    let count = 0;
    for (let i = 0; i < touchedCount; i++) if (scores[touched[i]] >= least) count++;
    return count;
  }
}

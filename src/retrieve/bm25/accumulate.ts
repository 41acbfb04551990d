import { grid } from './formula.ts';
import { withCapacity } from './growable.ts';
import type { KeyField } from './key-field.ts';

/** Scores of one field's slots for one query; kept and reused, so a search allocates nothing in proportion to the index. */
export class Accumulator {
  /** Per slot; all zero between searches. Dead slots score too. */
  scores = new Float64Array(0);
  /** Slots with a score above 0, `touchedCount` of them, in no order; kept in sparse searches only. */
  touched = new Uint32Array(0);
  touchedCount = 0;
  private dense = false;

  constructor(readonly field: KeyField) {}

  /** Before a search. A dense one meets so many slots that it is quicker to look at all of them than to keep a list. */
  prepare(dense: boolean): void {
    this.dense = dense;
    this.scores = withCapacity(this.scores, this.field.size);
    if (!dense) this.touched = withCapacity(this.touched, this.field.size);
  }

  /** Adds one term's part to every slot that holds it. */
  add(term: number, weight: number): void {
    const { starts, counts } = this.field.postings;
    const start = starts[term];
    if (this.dense) this.addTo(start, start + counts[term], weight);
    else this.addAndList(start, start + counts[term], weight);
  }

  /** Back to all zero. */
  clear(): void {
    if (this.dense) this.scores.fill(0, 0, this.field.size);
    else for (let i = 0; i < this.touchedCount; i++) this.scores[this.touched[i]] = 0;
    this.touchedCount = 0;
  }

  private addTo(start: number, end: number, weight: number): void {
    const { slots, impacts } = this.field.postings;
    const { scores } = this;
    for (let at = start; at < end; at++) scores[slots[at]] += weight * impacts[at] + grid - grid;
  }

  private addAndList(start: number, end: number, weight: number): void {
    const { slots, impacts } = this.field.postings;
    const { scores, touched } = this;
    let count = this.touchedCount;
    for (let at = start; at < end; at++) {
      const slot = slots[at];
      const part = weight * impacts[at] + grid - grid;
      const before = scores[slot];
      if (before === 0 && part > 0) touched[count++] = slot;
      scores[slot] = before + part;
    }
    this.touchedCount = count;
  }
}

import { grid } from './formula.ts';
import { withCapacity } from './growable.ts';
import type { KeyField } from './key-field.ts';

/** Scores of one field's slots for one query; kept and reused, so a search allocates nothing in proportion to the index. */
export class Accumulator {
  /** Per slot; all zero between searches. */
  scores = new Float64Array(0);
  /** Slots with a score above 0, `touchedCount` of them, in no order; dead slots are among them. */
  touched = new Uint32Array(0);
  touchedCount = 0;

  constructor(readonly field: KeyField) {}

  /** Before a search. */
  prepare(): void {
    this.scores = withCapacity(this.scores, this.field.size);
    this.touched = withCapacity(this.touched, this.field.size);
  }

  /** Adds one term's part to every slot that holds it. */
  add(term: number, weight: number): void {
    const { starts, counts, slots, impacts, size } = this.field.postings;
    if (term >= size) return;
    const { scores, touched } = this;
    let count = this.touchedCount;
    const end = starts[term] + counts[term];
    for (let at = starts[term]; at < end; at++) {
      const slot = slots[at];
      const part = weight * impacts[at] + grid - grid;
      const before = scores[slot];
      if (before === 0 && part > 0) touched[count++] = slot;
      scores[slot] = before + part;
    }
    this.touchedCount = count;
  }

  /** Back to all zero. */
  clear(): void {
    for (let i = 0; i < this.touchedCount; i++) this.scores[this.touched[i]] = 0;
    this.touchedCount = 0;
  }
}

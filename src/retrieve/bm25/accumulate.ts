import type { Bm25Query } from './bm25-index.ts';
import { grid } from './formula.ts';
import { withCapacity } from './growable.ts';
import type { KeyField } from './key-field.ts';

/** Scores of one field's slots for one query; kept and reused, so a search allocates nothing in proportion to the index. */
export class Accumulator {
  /** Per slot; all zero between searches. */
  scores = new Float64Array(0);
  /** Slots with a score above 0, `touchedCount` of them, in no order. */
  touched = new Uint32Array(0);
  touchedCount = 0;

  /** Adds the query's score to every slot that shares a term with it, dead slots included. */
  accumulate(field: KeyField, query: Bm25Query): void {
    this.scores = withCapacity(this.scores, field.size);
    this.touched = withCapacity(this.touched, field.size);
    const { scores, touched } = this;
    const { starts, counts, slots, impacts, size } = field.postings;
    let count = this.touchedCount;
    for (let i = 0; i < query.terms.length; i++) {
      const term = query.terms[i];
      if (term >= size) continue;
      const weight = query.weights[i];
      const end = starts[term] + counts[term];
      for (let at = starts[term]; at < end; at++) {
        const slot = slots[at];
        const part = weight * impacts[at] + grid - grid;
        const before = scores[slot];
        if (before === 0 && part > 0) touched[count++] = slot;
        scores[slot] = before + part;
      }
    }
    this.touchedCount = count;
  }

  /** Back to all zero. */
  clear(): void {
    for (let i = 0; i < this.touchedCount; i++) this.scores[this.touched[i]] = 0;
    this.touchedCount = 0;
  }
}

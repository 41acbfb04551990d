import { withCapacity } from './growable.ts';
import type { TermCounts } from './term-counts.ts';

/** The forward side of a field: per slot its terms, ascending, with their frequencies. */
export class Rows {
  starts = new Uint32Array(256);
  terms = new Uint32Array(1024);
  frequencies = new Float32Array(1024);
  size = 0;

  append(row: TermCounts): void {
    const start = this.starts[this.size];
    const end = start + row.terms.length;
    this.terms = withCapacity(this.terms, end);
    this.frequencies = withCapacity(this.frequencies, end);
    this.terms.set(row.terms, start);
    this.frequencies.set(row.frequencies, start);
    this.size++;
    this.starts = withCapacity(this.starts, this.size + 1);
    this.starts[this.size] = end;
  }

  /** How often a slot holds a term; 0 where it does not. */
  frequency(slot: number, term: number): number {
    const { terms } = this;
    let low = this.starts[slot];
    let high = this.starts[slot + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (terms[middle] < term) low = middle + 1;
      else high = middle;
    }
    return low < this.starts[slot + 1] && terms[low] === term ? this.frequencies[low] : 0;
  }

  start(slot: number): number {
    return this.starts[slot];
  }

  end(slot: number): number {
    return this.starts[slot + 1];
  }
}

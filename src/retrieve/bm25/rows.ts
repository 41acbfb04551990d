import { withCapacity } from './growable.ts';
import type { TermCounts } from './term-counts.ts';

/** The forward side of a field: per slot its terms, ascending, with their frequencies. */
export class Rows {
  starts = new Uint32Array(256);
  terms = new Uint32Array(1024);
  frequencies = new Float32Array(1024);
  size = 0;

  append(row: TermCounts): void {
    const start = this.size === 0 ? 0 : this.starts[this.size];
    const end = start + row.terms.length;
    this.terms = withCapacity(this.terms, end);
    this.frequencies = withCapacity(this.frequencies, end);
    this.terms.set(row.terms, start);
    this.frequencies.set(row.frequencies, start);
    this.size++;
    this.starts = withCapacity(this.starts, this.size + 1);
    this.starts[this.size] = end;
  }

  start(slot: number): number {
    return this.starts[slot];
  }

  end(slot: number): number {
    return this.starts[slot + 1];
  }
}

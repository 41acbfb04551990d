import { impact } from './formula.ts';
import { withCapacity } from './growable.ts';
import { PostingLists } from './postings.ts';
import { Rows } from './rows.ts';
import type { TermCounts } from './term-counts.ts';

/**
 * The keys of one kind. A key's slot is its position in order of arrival; the slot of an original key is also the
 * number of its document.
 */
export class KeyField {
  readonly postings = new PostingLists();
  readonly rows = new Rows();
  readonly ids: string[] = [];
  /** Per slot the number of its document. */
  owners = new Uint32Array(64);
  alive = new Uint8Array(64);
  lengths = new Float64Array(64);
  norms = new Float64Array(64);
  live = 0;

  /** Slots ever used, dead ones included. */
  get size(): number {
    return this.ids.length;
  }

  add(id: string, owner: number, counts: TermCounts, k1: number, norm: number): number {
    const slot = this.ids.push(id) - 1;
    this.owners = withCapacity(this.owners, slot + 1);
    this.alive = withCapacity(this.alive, slot + 1);
    this.lengths = withCapacity(this.lengths, slot + 1);
    this.norms = withCapacity(this.norms, slot + 1);
    this.owners[slot] = owner;
    this.alive[slot] = 1;
    this.lengths[slot] = counts.length;
    this.norms[slot] = norm;
    this.live++;
    this.rows.append(counts);
    for (let i = 0; i < counts.terms.length; i++) {
      const frequency = counts.frequencies[i];
      this.postings.append(counts.terms[i], slot, frequency, impact(k1, frequency, norm));
    }
    return slot;
  }

  remove(slot: number): void {
    this.alive[slot] = 0;
    this.live--;
  }

  /** Follows a new average length. */
  refresh(k1: number, normOf: (length: number) => number): void {
    for (let slot = 0; slot < this.size; slot++) this.norms[slot] = normOf(this.lengths[slot]);
    this.postings.refresh(k1, this.norms);
  }

  counts(slot: number): TermCounts {
    const start = this.rows.start(slot);
    const end = this.rows.end(slot);
    return {
      terms: this.rows.terms.slice(start, end),
      frequencies: this.rows.frequencies.slice(start, end),
      length: this.lengths[slot],
    };
  }
}

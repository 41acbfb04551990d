import type { Pacer } from '../../base/pacer.ts';
import { impact } from './formula.ts';
import { withCapacity } from './growable.ts';
import { PostingLists } from './postings.ts';
import { Rows } from './rows.ts';
import type { TermCounts } from './term-counts.ts';

const termsPerSlice = 64;

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

  /** Takes a key in without bringing it to life: searches pass over it until `revive`. Returns its slot. */
  stage(id: string, owner: number, counts: TermCounts, k1: number, norm: number): number {
    const slot = this.ids.push(id) - 1;
    this.owners = withCapacity(this.owners, slot + 1);
    this.alive = withCapacity(this.alive, slot + 1);
    this.lengths = withCapacity(this.lengths, slot + 1);
    this.norms = withCapacity(this.norms, slot + 1);
    this.owners[slot] = owner;
    this.lengths[slot] = counts.length;
    this.norms[slot] = norm;
    this.rows.append(counts);
    for (let i = 0; i < counts.terms.length; i++) {
      const frequency = counts.frequencies[i];
      this.postings.append(counts.terms[i], slot, frequency, impact(k1, frequency, norm));
    }
    return slot;
  }

  revive(slot: number): void {
    this.alive[slot] = 1;
    this.live++;
  }

  remove(slot: number): void {
    this.alive[slot] = 0;
    this.live--;
  }

  /** Follows a new average length. */
  refresh(k1: number, normOf: (length: number) => number): void {
    this.norms = this.freshNorms(normOf);
    const fresh = this.postings.emptyImpacts();
    this.postings.computeImpacts(fresh, k1, this.norms, 0, this.postings.size);
    this.postings.useImpacts(fresh);
  }

  /**
   * The same in slices. Nothing changes before the function that it returns is called; keys must not come before that.
   */
  async prepareRefresh(k1: number, normOf: (length: number) => number, pacer: Pacer): Promise<() => void> {
    const norms = this.freshNorms(normOf);
    const fresh = this.postings.emptyImpacts();
    for (let term = 0; term < this.postings.size; term += termsPerSlice) {
      this.postings.computeImpacts(fresh, k1, norms, term, term + termsPerSlice);
      await pacer.pause();
    }
    return () => {
      this.norms = norms;
      this.postings.useImpacts(fresh);
    };
  }

  private freshNorms(normOf: (length: number) => number): Float64Array<ArrayBuffer> {
    const norms = new Float64Array(this.norms.length);
    for (let slot = 0; slot < this.size; slot++) norms[slot] = normOf(this.lengths[slot]);
    return norms;
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

import { impact } from './formula.ts';
import { withCapacity } from './growable.ts';

/** Impacts of all postings, and per term the largest. */
export interface Impacts {
  readonly impacts: Float32Array<ArrayBuffer>;
  readonly peaks: Float32Array<ArrayBuffer>;
}

/**
 * The inverted side of a field: per term the slots that hold it, ascending, with term frequencies and impacts. All lists
 * share three arrays; a list that outgrows its room moves to the end and doubles it, so appending is cheap and nothing
 * is rebuilt. Postings of removed slots stay until the index is compacted; whoever reads must ask whether a slot lives.
 */
export class PostingLists {
  starts = new Uint32Array(256);
  counts = new Uint32Array(256);
  private peaks = new Float32Array(256);
  slots = new Uint32Array(1024);
  frequencies = new Float32Array(1024);
  impacts = new Float32Array(1024);
  private rooms = new Uint32Array(256);
  private end = 0;

  /** Terms beyond this number have no list. */
  get size(): number {
    return this.counts.length;
  }

  count(term: number): number {
    return term < this.size ? this.counts[term] : 0;
  }

  /** An upper bound of the term's impacts. */
  peak(term: number): number {
    return term < this.size ? this.peaks[term] : 0;
  }

  append(term: number, slot: number, frequency: number, keyImpact: number): void {
    if (term >= this.counts.length) this.growTerms(term + 1);
    if (this.counts[term] === this.rooms[term]) this.growList(term);
    const at = this.starts[term] + this.counts[term]++;
    this.slots[at] = slot;
    this.frequencies[at] = frequency;
    this.impacts[at] = keyImpact;
    if (keyImpact > this.peaks[term]) this.peaks[term] = keyImpact;
  }

  emptyImpacts(): Impacts {
    return {
      impacts: new Float32Array(this.impacts.length),
      peaks: new Float32Array(this.peaks.length),
    };
  }

  /** Computes the impacts of terms [from, to) for new length norms (one per slot). */
  computeImpacts(into: Impacts, k1: number, norms: Float64Array, from: number, to: number): void {
    const { impacts, peaks } = into;
    const { slots, frequencies } = this;
    const last = Math.min(to, this.size);
    for (let term = from; term < last; term++) {
      const start = this.starts[term];
      const end = start + this.counts[term];
      let peak = 0;
      for (let at = start; at < end; at++) {
        const fresh = impact(k1, frequencies[at], norms[slots[at]]);
        impacts[at] = fresh;
        if (fresh > peak) peak = fresh;
      }
      peaks[term] = peak;
    }
  }

  /** Reads impacts from there from now on. Nothing may have been appended since they were made. */
  useImpacts({ impacts, peaks }: Impacts): void {
    this.impacts = impacts;
    this.peaks = peaks;
  }

  private growTerms(length: number): void {
    this.starts = withCapacity(this.starts, length);
    this.counts = withCapacity(this.counts, length);
    this.peaks = withCapacity(this.peaks, length);
    this.rooms = withCapacity(this.rooms, length);
  }

  private growList(term: number): void {
    const start = this.starts[term];
    const count = this.counts[term];
    const room = count === 0 ? 1 : count * 2;
    const inPlace = start + count === this.end && count > 0;
    const moved = inPlace ? start : this.end;
    this.end = moved + room;
    this.slots = withCapacity(this.slots, this.end);
    this.frequencies = withCapacity(this.frequencies, this.end);
    this.impacts = withCapacity(this.impacts, this.end);
    if (!inPlace) {
      // Most lists are too short for a call of `copyWithin` to pay.
      const { slots, frequencies, impacts } = this;
      for (let i = 0; i < count; i++) {
        slots[moved + i] = slots[start + i];
        frequencies[moved + i] = frequencies[start + i];
        impacts[moved + i] = impacts[start + i];
      }
    }
    this.starts[term] = moved;
    this.rooms[term] = room;
  }
}

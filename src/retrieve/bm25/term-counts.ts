import type { Analyser } from '../../corpus/types.ts';
import type { IndexKey } from '../../keys/types.ts';
import { expansionTerms } from '../../keys/key-id.ts';
import { withCapacity } from './growable.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A text as the index sees it: distinct terms, and how often it holds them. */
export interface TermCounts {
  /** Ascending. */
  readonly terms: Uint32Array;
  readonly frequencies: Float32Array;
  /** Sum of the frequencies. */
  readonly length: number;
}

/** Lengths are multiples of it, so that sums of them do not depend on their order (see `grid`). */
const lengthUnit = 2 ** -24;

/** Term frequencies of a text: sums of its tokens' weights. */
export function frequenciesOf(analyser: Analyser, text: string): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { term, weight } of analyser.analyse(text)) {
    frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
  }
  return frequencies;
}

/** Counts the terms of keys and numbers them; buffers are kept between keys. */
export class TermCounter {
  /** Per term its frequency; all zero between keys. */
  private sums = new Float64Array(1024);
  private met = new Uint32Array(256);

  constructor(
    private readonly analyser: Analyser,
    private readonly vocabulary: Vocabulary,
  ) {}

  /** In an expansion key, whose terms are analysed already, each term counts once. */
  count(key: Pick<IndexKey, 'kind' | 'text'>): TermCounts {
    let count = 0;
    if (key.kind === 'expansion') {
      for (const term of new Set(expansionTerms(key.text))) count = this.add(term, 1, count);
    } else if (this.analyser.eachTerm) {
      this.analyser.eachTerm(key.text, (term, weight) => (count = this.add(term, weight, count)));
    } else {
      for (const { term, weight } of this.analyser.analyse(key.text)) count = this.add(term, weight, count);
    }
    const terms = this.met.slice(0, count).sort();
    const frequencies = new Float32Array(count);
    for (let i = 0; i < count; i++) {
      frequencies[i] = this.sums[terms[i]];
      this.sums[terms[i]] = 0;
    }
    return { terms, frequencies, length: keyLength(frequencies) };
  }

  private add(term: string, weight: number, count: number): number {
    const number = this.vocabulary.intern(term);
    if (number >= this.sums.length) this.sums = withCapacity(this.sums, number + 1);
    const sum = this.sums[number];
    this.sums[number] = sum + weight;
    if (sum !== 0) return count;
    if (count === this.met.length) this.met = withCapacity(this.met, count + 1);
    this.met[count] = number;
    return count + 1;
  }
}

/** Of the same terms with other numbers. */
export function renumbered(
  { terms, frequencies, length }: TermCounts,
  numberOf: (term: number) => number,
): TermCounts {
  const entries = Array.from(terms, (term, i) => ({ term: numberOf(term), frequency: frequencies[i] }));
  entries.sort((a, b) => a.term - b.term);
  return {
    terms: Uint32Array.from(entries, ({ term }) => term),
    frequencies: Float32Array.from(entries, ({ frequency }) => frequency),
    length,
  };
}

/** Length of a key: the sum of its term frequencies, these in 32 bits as postings hold them. */
export function keyLength(frequencies: ArrayLike<number>): number {
  let units = 0;
  for (let i = 0; i < frequencies.length; i++) units += Math.round(Math.fround(frequencies[i]) / lengthUnit);
  return units * lengthUnit;
}

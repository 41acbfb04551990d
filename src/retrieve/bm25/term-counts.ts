import type { Analyser } from '../../corpus/types.ts';
import type { IndexKey } from '../../keys/types.ts';
import { expansionTerms } from '../../keys/key-id.ts';
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

/** Term frequencies of a key; in an expansion key, whose terms are analysed already, each term counts once. */
export function keyFrequencies(
  analyser: Analyser,
  key: Pick<IndexKey, 'kind' | 'text'>,
): Map<string, number> {
  return key.kind === 'expansion'
    ? new Map(expansionTerms(key.text).map((term) => [term, 1]))
    : frequenciesOf(analyser, key.text);
}

/** Numbers the terms. */
export function countTerms(vocabulary: Vocabulary, frequencies: ReadonlyMap<string, number>): TermCounts {
  const entries = Array.from(frequencies, ([term, frequency]) => ({
    term: vocabulary.intern(term),
    frequency,
  }));
  return termCounts(entries);
}

/** From numbered terms, each at most once. */
export function termCounts(entries: { readonly term: number; readonly frequency: number }[]): TermCounts {
  entries.sort((a, b) => a.term - b.term);
  const frequencies = Float32Array.from(entries, ({ frequency }) => frequency);
  return {
    terms: Uint32Array.from(entries, ({ term }) => term),
    frequencies,
    length: keyLength(frequencies),
  };
}

/** Length of a key: the sum of its term frequencies, these in 32 bits as postings hold them. */
export function keyLength(frequencies: Iterable<number>): number {
  let units = 0;
  for (const frequency of frequencies) units += Math.round(Math.fround(frequency) / lengthUnit);
  return units * lengthUnit;
}

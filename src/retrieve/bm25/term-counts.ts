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

/** Sums of lengths must not depend on their order (see `grid`); analysers' weights are far coarser than this. */
const lengthUnit = 2 ** -16;

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
  entries.sort((a, b) => a.term - b.term);
  return {
    terms: Uint32Array.from(entries, ({ term }) => term),
    frequencies: Float32Array.from(entries, ({ frequency }) => frequency),
    length: keyLength(frequencies),
  };
}

/** Length of a key: the sum of its term frequencies. */
export function keyLength(frequencies: ReadonlyMap<string, number>): number {
  let length = 0;
  for (const frequency of frequencies.values()) length += frequency;
  return Math.round(length / lengthUnit) * lengthUnit;
}

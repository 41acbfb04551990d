import { frequentWords } from './frequent-words.ts';
import { countOf, unpackWords } from './word-list.ts';

/** Words in SUBTLEXus, film subtitles of American English: what `frequencyOf` counts among. */
export const subtitleWords = 51e6;

let counts: ReadonlyMap<string, number> | undefined;

/** Occurrences of a lower-case word among `subtitleWords`, by about a factor of two; 0 for all but frequent English words. */
export function frequencyOf(word: string): number {
  counts ??= unpackWords(frequentWords);
  return countOf(word, counts);
}

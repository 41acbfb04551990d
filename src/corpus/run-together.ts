import type { Range } from './types.ts';
import { frequencyOf, subtitleWords } from './word-frequency.ts';

/** How often each word (a-z) occurs in a collection: what `collectVocabulary` gives. */
export type Vocabulary = ReadonlyMap<string, number>;

/** A run of at least seven capitals without a separator may be several words: FINANCIALSERVICEACCOUNT. */
const runTogether = /^[A-Z]{7,64}$/;
const sevenCapitals = /[A-Z]{7}/;
const longestPart = 24;
const shortestPart = 2;
/** A collection's own words matter more to its names than film subtitles do. */
const ownWordFactor = 100;
/** Added per part, so that INCOME stays whole although IN and COME are far more frequent words. */
const costOfPart = 5;
/** The share of a letter in an unknown word: cheaper than a row of two-letter words, dearer than any known one. */
const costOfUnknownLetter = Math.log(26);
/** Below, the parts are guesses and the name stays whole. */
const leastKnownShare = 2 / 3;

/** False for words in which no splitter would find anything to split. */
export function mayRunTogether(word: string): boolean {
  return sevenCapitals.test(word);
}

/**
 * Splits run-together names into the most probable words under a unigram model, by dynamic programming
 * (Norvig, Natural Language Corpus Data, 2009).
 */
export class NameSplitter {
  readonly #own: Vocabulary;

  constructor(vocabulary: Vocabulary = new Map()) {
    this.#own = vocabulary;
  }

  /** Parts in order, covering the name; none where it is one word or no run-together name. */
  split(name: string): Range[] {
    if (!runTogether.test(name)) return [];
    const letters = name.toLowerCase();
    const cost = [0];
    const from = [0];
    for (let end = 1; end <= letters.length; end++) {
      cost[end] = Infinity;
      for (let start = Math.max(0, end - longestPart); start <= end - shortestPart; start++) {
        const total = cost[start] + this.#cost(letters.slice(start, end));
        if (total < cost[end]) {
          cost[end] = total;
          from[end] = start;
        }
      }
    }
    if (cost[letters.length] === Infinity) return [];
    const parts: Range[] = [];
    let known = 0;
    for (let end = letters.length; end > 0; end = from[end]) {
      parts.unshift({ start: from[end], end });
      if (this.#count(letters.slice(from[end], end)) > 0) known += end - from[end];
    }
    return parts.length === 1 || known < leastKnownShare * letters.length ? [] : parts;
  }

  /** Negative log probability. */
  #cost(word: string): number {
    const count = this.#count(word);
    const unknown = Math.log(subtitleWords / 10) + word.length * costOfUnknownLetter;
    return costOfPart + (count > 0 ? Math.log(subtitleWords / count) : unknown);
  }

  #count(word: string): number {
    return frequencyOf(word) + ownWordFactor * (this.#own.get(word) ?? 0);
  }
}

import { frequentWords } from './frequent-words.ts';
import type { Range } from './types.ts';
import { unpackWords } from './word-list.ts';

/** How often each word (a-z) occurs in a collection: what `collectVocabulary` gives. */
export type Vocabulary = ReadonlyMap<string, number>;

/** A run of at least seven capitals without a separator may be several words: FINANCIALSERVICEACCOUNT. */
const runTogether = /^[A-Z]{7,64}$/;
const longestWord = 24;
/** Words in SUBTLEXus: the denominator of the unigram model. */
const corpusSize = 51e6;
/** A collection's own words matter more to its names than film subtitles do. */
const ownWordFactor = 100;

let general: ReadonlyMap<string, number> | undefined;

/**
 * Splits run-together names into the most probable words under a unigram model, by dynamic programming
 * (Norvig, Natural Language Corpus Data, 2009).
 */
export class NameSplitter {
  readonly #own: Vocabulary;

  constructor(vocabulary: Vocabulary = new Map()) {
    this.#own = vocabulary;
  }

  /** Parts in order, covering the name; the name itself as one part where it is no run-together name. */
  split(name: string): Range[] {
    const whole = [{ start: 0, end: name.length }];
    if (!runTogether.test(name)) return whole;
    const letters = name.toLowerCase();
    const cost = [0];
    const from = [0];
    for (let end = 1; end <= letters.length; end++) {
      cost[end] = Infinity;
      for (let start = Math.max(0, end - longestWord); start < end; start++) {
        const total = cost[start] + this.#cost(letters.slice(start, end));
        if (total < cost[end]) {
          cost[end] = total;
          from[end] = start;
        }
      }
    }
    const parts: Range[] = [];
    for (let end = letters.length; end > 0; end = from[end]) parts.unshift({ start: from[end], end });
    return parts;
  }

  /** Negative log probability; an unknown word is ten times less likely with every letter. */
  #cost(word: string): number {
    general ??= unpackWords(frequentWords);
    const count = (general.get(word) ?? 0) + ownWordFactor * (this.#own.get(word) ?? 0);
    return count > 0 ? Math.log(corpusSize / count) : Math.log(corpusSize / 10) + word.length * Math.log(10);
  }
}

import { createAnalyser } from './analyser.ts';
import { frequentWords } from './frequent-words.ts';
import { unpackWords } from './word-list.ts';

/** Occurrences among 51 million words of film subtitles: the some 230 most frequent words of spoken English reach it. */
const common = 2 ** 15;

let terms: ReadonlySet<string> | undefined;

/**
 * Terms of words that anyone says about anything (my, when, something, keep). The document frequencies of a small collection
 * cannot tell them from words that mean something, since notes are terse and searches are not.
 */
export function commonTerms(): ReadonlySet<string> {
  if (!terms) {
    const analyser = createAnalyser({ splitNames: false });
    const words = [...unpackWords(frequentWords)].filter(([, count]) => count >= common);
    terms = new Set(words.flatMap(([word]) => analyser.analyse(word).map(({ term }) => term)));
  }
  return terms;
}

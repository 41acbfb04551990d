import { eachUnicodeWord } from './word-spans.ts';

/** The distinct lower-cased words of a text by Intl.Segmenter, so also of Chinese: the sets of Algorithm 3's Jaccard. */
export function wordSet(text: string): Set<string> {
  const words = new Set<string>();
  eachUnicodeWord(text, (start, end) => {
    words.add(text.slice(start, end).normalize('NFKC').toLowerCase());
  });
  return words;
}

/** |a ∩ b| / |a ∪ b|, in [0, 1]. Two empty sets are equal: 1. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const word of small) if (large.has(word)) shared++;
  const union = a.size + b.size - shared;
  return union === 0 ? 1 : shared / union;
}

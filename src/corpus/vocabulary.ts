import type { Vocabulary } from './run-together.ts';

/**
 * The words that a collection writes in plain sight, with how often: at least three letters, not all in capitals (those are
 * what it helps to split), seen at least twice.
 */
export function collectVocabulary(texts: Iterable<string>): Vocabulary {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [word] of text.matchAll(/[A-Za-z]+/g)) {
      if (word.length < 3 || word.length > 24 || !/[a-z]/.test(word)) continue;
      const lower = word.toLowerCase();
      counts.set(lower, (counts.get(lower) ?? 0) + 1);
    }
  }
  return new Map([...counts].filter(([, count]) => count > 1));
}

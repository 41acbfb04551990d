import { fold } from './fold.ts';
import type { Token } from './types.ts';

/** Han and Kana letters, and the marks that voice Kana. Punctuation of the same scripts is left out. */
const letter = String.raw`(?=[\p{L}\p{M}\p{N}])[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`;
const runs = new RegExp(`(?:${letter})+`, 'gu');
/** One letter with its voicing marks, which NFKC composes with it. */
const letters = /[^\u3099\u309a\uff9e\uff9f][\u3099\u309a\uff9e\uff9f]*/gu;

/** Calls back for each maximal run of Han and Kana, and for each stretch between two of them. */
export function eachCjkRun(text: string, visit: (start: number, end: number, cjk: boolean) => void): void {
  let end = 0;
  for (const match of text.matchAll(runs)) {
    if (match.index > end) visit(end, match.index, false);
    end = match.index + match[0].length;
    visit(match.index, end, true);
  }
  if (end < text.length) visit(end, text.length, false);
}

/** Overlapping bigrams of a run; a lone character stays. */
export function pushBigrams(run: string, offset: number, tokens: Token[]): void {
  let previous = '';
  let previousStart = 0;
  let count = 0;
  for (const match of run.matchAll(letters)) {
    const current = fold(match[0]);
    const end = offset + match.index + match[0].length;
    if (count > 0) tokens.push({ term: previous + current, weight: 1, start: previousStart, end });
    previous = current;
    previousStart = offset + match.index;
    count++;
  }
  if (count === 1) tokens.push({ term: previous, weight: 1, start: offset, end: offset + run.length });
}

import { fold } from './fold.ts';
import type { Range, Token } from './types.ts';

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

/** Common Han and Kana characters are their own folded form. */
function isPlain(surface: string): boolean {
  const code = surface.charCodeAt(0);
  return surface.length === 1 && ((code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3041 && code <= 0x30fa));
}

/**
 * A character inside a run counts a little on its own, so that a search for one character (猫) finds it: measured on
 * DRCD, nDCG@10 .9561 with and .9540 without.
 */
const characterWeight = 0.2;

/** Overlapping bigrams of a run, and its characters; a lone character stays whole. */
export function pushBigrams(run: string, offset: number, tokens: Token[]): void {
  let previous: Token | undefined;
  for (const { 0: surface, index } of run.matchAll(letters)) {
    const start = offset + index;
    const end = start + surface.length;
    const weight = surface.length === run.length ? 1 : characterWeight;
    const current = { term: isPlain(surface) ? surface : fold(surface), weight, start, end };
    if (previous) tokens.push({ term: previous.term + current.term, weight: 1, start: previous.start, end });
    tokens.push(current);
    previous = current;
  }
}

/** Korean joins particles to words (서울에서, "in Seoul"): the bigrams inside a word of three or more syllables. */
export function hangulBigrams(word: string): Range[] {
  if (!/^\p{sc=Hangul}{3,}$/u.test(word)) return [];
  const syllables = [...word.normalize('NFC')];
  if (syllables.length !== word.length) return [];
  return syllables.slice(1).map((_, index) => ({ start: index, end: index + 2 }));
}

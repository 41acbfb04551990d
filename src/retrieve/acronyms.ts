import { compareIds } from '../base/order.ts';

/** Longest long form looked for, in words beyond the acronym's letters: "Department of the Interior (DOI)". */
const extraWords = 3;
const smallWords = new Set([
  'a',
  'an',
  'and',
  'at',
  'by',
  'for',
  'in',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
]);

/** `Long Form (LF)` and `LF (Long Form)`. */
const parenthesis = /\(([^()\n]{2,120})\)/g;
const acronymForm = /^[A-Z][A-Z0-9&-]{1,9}s?$/;

/**
 * Acronyms that a collection defines, with their long forms in lower case, the most frequent first, ties in code point
 * order (after Schwartz and Hearst, 2003, with initial letters alone).
 */
export function collectAcronyms(texts: readonly string[]): Map<string, readonly string[]> {
  const counts = new Map<string, Map<string, number>>();
  const note = (acronym: string, words: readonly string[]) => {
    const forms = counts.get(acronym) ?? new Map<string, number>();
    const form = words.join(' ').toLowerCase();
    forms.set(form, (forms.get(form) ?? 0) + 1);
    counts.set(acronym, forms);
  };
  for (const text of texts) {
    for (const match of text.matchAll(parenthesis)) {
      const inside = match[1].trim();
      const before = text.slice(Math.max(0, match.index - 160), match.index).trimEnd();
      if (acronymForm.test(inside)) {
        const acronym = inside.replace(/s$/, '');
        const words = longFormBefore(before, acronym);
        if (words) note(acronym, words);
      } else {
        const acronym = /([A-Z][A-Z0-9&-]{1,9})$/.exec(before)?.[1];
        const words = wordsOf(inside);
        if (acronym && matches(words, acronym)) note(acronym, words);
      }
    }
  }
  return new Map(
    [...counts].map(([acronym, forms]) => [
      acronym,
      [...forms].sort((a, b) => b[1] - a[1] || compareIds(a[0], b[0])).map(([form]) => form),
    ]),
  );
}

function longFormBefore(before: string, acronym: string): string[] | undefined {
  const words = wordsOf(before);
  const letters = lettersOf(acronym).length;
  for (let count = 2; count <= Math.min(words.length, letters + extraWords); count++) {
    const candidate = words.slice(-count);
    if (matches(candidate, acronym)) return candidate;
  }
  return undefined;
}

/** The acronym's letters are the words' initials in order; small words may be passed over. */
function matches(words: readonly string[], acronym: string): boolean {
  const letters = lettersOf(acronym);
  if (words.length < 2 || words[0][0]?.toLowerCase() !== letters[0]) return false;
  let next = 0;
  for (const word of words) {
    if (next < letters.length && word[0].toLowerCase() === letters[next]) next++;
    else if (!smallWords.has(word.toLowerCase())) return false;
  }
  return next === letters.length;
}

function lettersOf(acronym: string): string[] {
  return [...acronym.toLowerCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
}

function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

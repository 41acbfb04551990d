import { eachSegment } from './segments.ts';

/**
 * Words as Unicode (UAX #29) cuts them: `azure.com`, `14.2.1.0`, `my_snake_case_word` and `don't` are one word each, a
 * hyphen parts words. Intl.Segmenter finds them in every script; for ASCII a table gives the same many times faster.
 */

const letter = 1;
const digit = 2;
const underscore = 4;
/** Joins two letters, or two digits. */
const joinsAlike = 8;
const joinsDigits = 16;

const classes = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z]/.test(character)) classes[code] = letter;
  else if (/[0-9]/.test(character)) classes[code] = digit;
  else if (character === '_') classes[code] = underscore;
  else if (character === '.' || character === "'") classes[code] = joinsAlike;
  else if (character === ',' || character === ';') classes[code] = joinsDigits;
}
const inWord = letter | digit | underscore;

/** The words of an ASCII text. */
export function eachAsciiWord(text: string, visit: (start: number, end: number) => void): void {
  const { length } = text;
  for (let at = 0; at < length; at++) {
    if ((classes[text.charCodeAt(at)] & inWord) === 0) continue;
    const start = at;
    for (at++; at < length; at++) {
      const kind = classes[text.charCodeAt(at)];
      if ((kind & inWord) !== 0) continue;
      if (kind === 0 || at + 1 === length) break;
      const before = classes[text.charCodeAt(at - 1)];
      const joins = before === digit || (before === letter && kind === joinsAlike);
      if (!joins || classes[text.charCodeAt(at + 1)] !== before) break;
    }
    visit(start, at);
  }
}

// A fixed locale: the host's own must not change what an index holds.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** What may join words by UAX #29, or parts a word that the platform has joined. */
const pieces =
  /[^_.,:;'"\u00b7\u0387\u05f4\u2018\u2019\u2024\u2027\u203f\u2040\uff07\uff0c\uff0e\uff1a\uff1b\uff3f]+/g;
const underscores = /^[_\u203f\u2040\uff3f]+$/;
const inLetters = /^[.'\u00b7\u0387\u2018\u2019\u2024\u2027\uff07\uff0e]$/;
const inDigits = /^[.,;'\u2018\u2019\u2024\uff07\uff0c\uff0e\uff1b]$/;
const inHebrew = /^["\u05f4]$/;

/**
 * The words of any text. Platforms differ in what joins words: Chromium parts azure.com, Node joins a:b. So the segmenter
 * only finds pieces, and the rules of the table above join them.
 */
export function eachUnicodeWord(text: string, visit: (start: number, end: number) => void): void {
  let open: { start: number; end: number } | null = null;
  eachSegment(segmenter, text, (from, to, isWordLike) => {
    if (!isWordLike) return;
    for (const { 0: piece, index } of text.slice(from, to).matchAll(pieces)) {
      const start = from + index;
      const end = start + piece.length;
      if (open !== null && joined(text, open.end, start)) open.end = end;
      else {
        if (open !== null) visit(open.start, open.end);
        open = { start, end };
      }
    }
  });
  const last = open as { start: number; end: number } | null;
  if (last !== null) visit(last.start, last.end);
}

/** Whether what stands in [from, to) joins the pieces before and after it. */
function joined(text: string, from: number, to: number): boolean {
  const gap = text.slice(from, to);
  if (underscores.test(gap)) return true;
  if (gap.length !== 1) return false;
  const before = text.slice(Math.max(0, from - 8), from);
  const after = text.slice(to, to + 2);
  if (inDigits.test(gap) && /\p{Nd}$/u.test(before) && /^\p{Nd}/u.test(after)) return true;
  if (inHebrew.test(gap)) return /\p{sc=Hebrew}$/u.test(before) && /^\p{sc=Hebrew}/u.test(after);
  return inLetters.test(gap) && /\p{L}[\p{M}\p{Cf}]*$/u.test(before) && /^\p{L}/u.test(after);
}

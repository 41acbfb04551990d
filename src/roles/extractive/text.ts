/**
 * Cutting a document into the pieces that may become keys or queries. All of it is linear in the text and works on
 * at most `readableUnits` UTF-16 units: nine keys cannot say more, and a hostile text of megabytes costs nothing.
 */

import { isAscii } from '../../corpus/fold.ts';
import { sentences } from '../../corpus/sentences.ts';
import { eachAsciiWord, eachUnicodeWord } from '../../corpus/word-spans.ts';

/** How much of a document the rules read. */
export const readableUnits = 60_000;

export interface Section {
  readonly heading: string;
  readonly firstSentence: string;
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** True for scripts that write no spaces between words. */
export function isUnspaced(text: string): boolean {
  return unspaced.test(text);
}

/** The readable beginning, without lone surrogates and control characters. */
export function readable(text: string): string {
  return text
    .slice(0, readableUnits)
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)[\p{Cc}\p{Cf}\uFFFD]/gu, ' ');
}

/** One line without the marks of Markdown that people do not type. */
export function tidy(text: string): string {
  return text
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)/g, '$1')
    .replace(/^[\s>*+\-#|]+(?=\S)/, '')
    .replace(/[*`]+|_{2,}|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(/\|+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Intl.Segmenter takes time that grows with the square of its input (V8), so it gets short pieces. */
const pieces = /\S{1,200}/gu;

function eachWord(text: string, visit: (start: number, end: number) => void): void {
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const each = isAscii(piece) ? eachAsciiWord : eachUnicodeWord;
    each(piece, (start, end) => visit(index + start, index + end));
  }
}

/** Words in order, as they are written; segmented by dictionary where the script has no spaces. */
export function words(text: string): string[] {
  const found: string[] = [];
  eachWord(text, (start, end) => found.push(text.slice(start, end)));
  return found;
}

export function countWords(text: string): number {
  let count = 0;
  eachWord(text, () => count++);
  return count;
}

/** The first `limit` words of a text with what stands between them. */
export function firstWords(text: string, limit: number): string {
  let count = 0;
  let cut = text.length;
  eachWord(text, (start) => {
    if (++count === limit + 1) cut = start;
  });
  return text.slice(0, cut).trimEnd();
}

const isHeading = /^#{1,6}\s+\S/;

/** Lines longer than this are cut at white space. */
const longestLine = 2000;

/** Sentences in order, tidied, headings left out; a line break ends one unless the line was wrapped. */
export function sentencesOf(text: string): string[] {
  const unwrapped = text.replace(/(?<=[^\n]{40}[\p{L},])\n(?=\p{Ll})/gu, ' ');
  return sentences(unwrapped.replace(/[^\n]+/g, brokenLine))
    .filter((sentence) => !isHeading.test(sentence))
    .map(tidy)
    .filter((sentence) => /\p{L}/u.test(sentence));
}

function brokenLine(line: string): string {
  const parts: string[] = [];
  let start = 0;
  while (line.length - start > longestLine) {
    const space = line.lastIndexOf(' ', start + longestLine);
    const end = space > start ? space : start + longestLine;
    parts.push(line.slice(start, end));
    start = end;
  }
  return [...parts, line.slice(start)].join('\n\n');
}

/** A first sentence of fewer words (a number of a list, an exclamation) says nothing of its section. */
const leastWords = 3;

/** The first sentence that says something, near the beginning of a text. */
export function firstSentenceOf(text: string): string | undefined {
  return sentencesOf(text.slice(0, 2000)).find((sentence) => countWords(sentence) >= leastWords);
}

/** Markdown headings, each with the first sentence below it. */
export function sectionsOf(text: string): Section[] {
  const lines = text.split('\n');
  const sections: Section[] = [];
  for (const [i, line] of lines.entries()) {
    if (!isHeading.test(line)) continue;
    const below = lines.slice(i + 1).findIndex((other) => isHeading.test(other));
    const body = lines.slice(i + 1, below < 0 ? undefined : i + 1 + below).join('\n');
    const firstSentence = firstSentenceOf(body);
    if (firstSentence !== undefined) sections.push({ heading: tidy(line), firstSentence });
  }
  return sections;
}

/** Runs of whole sentences of at most `size` words; a longer sentence is cut. */
export function passagesOf(text: string, size: number): string[] {
  const passages: string[] = [];
  let current = '';
  let count = 0;
  const close = () => {
    if (current !== '') passages.push(current);
    current = '';
    count = 0;
  };
  for (const sentence of sentencesOf(text)) {
    for (const piece of cut(sentence, size)) {
      const length = countWords(piece);
      if (count + length > size) close();
      current = current === '' ? piece : `${current} ${piece}`;
      count += length;
    }
  }
  close();
  return passages;
}

function cut(sentence: string, size: number): string[] {
  const parts: string[] = [];
  let rest = sentence;
  while (rest !== '') {
    const part = firstWords(rest, size) || rest;
    parts.push(part);
    rest = rest.slice(part.length).trimStart();
  }
  return parts;
}

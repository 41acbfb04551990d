import { eachSegment } from './segments.ts';
import { safeCut, trimmed } from './text-edges.ts';
import type { Range } from './types.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** A longer sentence (minified code, a table on one line) is cut at white space. */
const longest = 1000;

/** Lines that end a sentence whatever their punctuation: blank lines, list items, headings, table rows, fences, quotes. */
const blockStart = /^[ \t]*(?:[-*+•]\s|\d{1,9}[.)]\s|#{1,6}\s|\||```|~~~|>)/;
const tableRule = /^[\s|:+=-]*$/;

/**
 * The sentences of a text, in order, as ranges that include no surrounding white space. Markdown's blocks (list items,
 * headings, table rows, code lines between fences) end a sentence too; rules and fences are left out.
 */
export function sentenceRanges(text: string): Range[] {
  const ranges: Range[] = [];
  for (const block of blocks(text)) {
    // A line feed would end a sentence, in UAX #29 as in no wrapped paragraph.
    eachSegment(segmenter, text.slice(block.start, block.end).replaceAll('\n', ' '), (start, end) => {
      pushTrimmed(text, block.start + start, block.start + end, ranges);
    });
  }
  return ranges;
}

/** The sentences' texts, line feeds inside them turned into spaces. */
export function sentences(text: string): string[] {
  return sentenceRanges(text).map(({ start, end }) => text.slice(start, end).replace(/\s*\n\s*/g, ' '));
}

function blocks(text: string): Range[] {
  const result: Range[] = [];
  let start = 0;
  let inFence = false;
  let offset = 0;
  const close = (end: number, next: number) => {
    if (end > start) result.push({ start, end });
    start = next;
  };
  for (const line of text.split('\n')) {
    const end = offset + line.length;
    const fence = /^[ \t]*(?:```|~~~)/.test(line);
    if (fence || tableRule.test(line)) close(offset, end + 1);
    else if (inFence || blockStart.test(line)) {
      close(offset, offset);
      // A heading, a table row and a line of code are whole; a list item goes on.
      if (inFence || /^[ \t]*(?:#|\|)/.test(line)) close(end, end + 1);
    }
    if (fence) inFence = !inFence;
    offset = end + 1;
  }
  close(text.length, text.length);
  return result;
}

function pushTrimmed(text: string, from: number, to: number, ranges: Range[]): void {
  let { start, end } = trimmed(text, from, to);
  while (end - start > longest) {
    const space = text.slice(start, start + longest).search(/\s\S*$/);
    const cut = space > longest / 2 ? start + space : safeCut(text, start + longest);
    ranges.push(trimmed(text, start, cut));
    ({ start, end } = trimmed(text, cut, end));
  }
  if (end > start) ranges.push({ start, end });
}

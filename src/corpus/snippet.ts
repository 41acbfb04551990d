import { safeCut, trimmed } from './text-edges.ts';
import type { Analyser, Range, Snippet, Token } from './types.ts';

export interface SnippetOptions {
  /** Longest extract in UTF-16 units; default 240. */
  readonly length?: number;
}

/** A text is read this far, in UTF-16 units, for something to mark. */
const longestRead = 200_000;
/** How far the edge of an extract may move to meet a sentence or a word. */
const reach = 40;
/** Terms of a query below this weight (single characters of a Han run) are marked only where nothing else matches. */
const telling = 0.5;
/** What one more occurrence of a term is worth, against 1 for its first: extracts with different terms win. */
const repeated = 0.1;

/**
 * The extract of a text that holds most of what a query asks for, with the matched words (and parts of identifiers, and
 * stretches of Han) as ranges. Without a match it is the text's beginning.
 */
export function makeSnippet(
  text: string,
  query: string,
  analyser: Analyser,
  { length = 240 }: SnippetOptions = {},
): Snippet {
  const matches = matchesOf(text, query, analyser);
  const window = fitWindow(text, bestSpan(matches, length), length);
  const marks = mergeRanges(matches)
    .map(({ start, end }) => ({ start: Math.max(start, window.start), end: Math.min(end, window.end) }))
    .filter(({ start, end }) => start < end)
    .map(({ start, end }) => ({ start: start - window.start, end: end - window.start }));
  return {
    text: text.slice(window.start, window.end),
    marks,
    offset: window.start,
    truncatedStart: text.slice(0, window.start).trim() !== '',
    truncatedEnd: text.slice(window.end, window.end + longestRead).trim() !== '',
  };
}

/** Tokens of the text that a search for the query matches, carrying the query's weights. */
function matchesOf(text: string, query: string, analyser: Analyser): Token[] {
  const wanted = new Map<string, number>();
  for (const { term, weight } of analyser.analyse(query)) {
    wanted.set(term, Math.max(weight, wanted.get(term) ?? 0));
  }
  if (wanted.size === 0) return [];
  const read = text.slice(0, safeCut(text, longestRead));
  const found =
    analyser.find?.(read, wanted) ?? analyser.analyse(read).filter(({ term }) => wanted.has(term));
  const matches = found.map((token) => ({ ...token, weight: wanted.get(token.term) ?? 0 }));
  const strong = matches.filter(({ weight }) => weight >= telling);
  return (strong.length > 0 ? strong : matches).sort((a, b) => a.start - b.start || a.end - b.end);
}

/** The stretch of matches, no longer than `length`, with the most different terms; the first of equals. */
function bestSpan(matches: readonly Token[], length: number): Range {
  if (matches.length === 0) return { start: 0, end: 0 };
  const counts = new Map<string, number>();
  const worth = ({ term, weight }: Token) => weight * ((counts.get(term) ?? 0) > 0 ? repeated : 1);
  let best = { start: matches[0].start, end: matches[0].end };
  let most = -1;
  let score = 0;
  let first = 0;
  for (const last of matches) {
    score += worth(last);
    counts.set(last.term, (counts.get(last.term) ?? 0) + 1);
    while (matches[first].start < last.start && last.end - matches[first].start > length) {
      const left = matches[first++];
      counts.set(left.term, (counts.get(left.term) ?? 0) - 1);
      score -= worth(left);
    }
    if (score > most + 1e-9) {
      most = score;
      best = { start: matches[first].start, end: last.end };
    }
  }
  return best;
}

/** The span with its context: a third before, the rest after, edges at a sentence or a word where one is near. */
function fitWindow(text: string, span: Range, length: number): Range {
  const room = Math.max(0, length - (span.end - span.start));
  let start = Math.max(0, Math.min(span.start - Math.floor(room / 3), text.length - length));
  start = start === 0 ? 0 : edgeAfter(text, start, Math.min(span.start, start + reach));
  let end = Math.min(text.length, start + length);
  end = end === text.length ? end : edgeBefore(text, end, Math.max(span.end, end - reach, start + 1));
  return trimmed(text, start, end);
}

/** The first sentence start in [from, to], else the first word start, else `from`. */
function edgeAfter(text: string, from: number, to: number): number {
  const stretch = text.slice(from, to);
  const sentence = /[.!?。！？]\s+(?=\S)|\n\s*(?=\S)/.exec(stretch);
  const edge = sentence ?? /\s+(?=\S|$)/.exec(stretch);
  return safeCut(text, edge === null ? from : from + edge.index + edge[0].length);
}

/** The last end of a word in [from, to], else `to`. */
function edgeBefore(text: string, to: number, from: number): number {
  if (/\s/.test(text[to])) return to;
  const space = /\s+\S*$/.exec(text.slice(from, to));
  return safeCut(text, space === null ? to : from + space.index);
}

/** Sorted ranges with overlapping and touching ones joined. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const previous = merged.at(-1);
    if (previous && start <= previous.end) previous.end = Math.max(previous.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

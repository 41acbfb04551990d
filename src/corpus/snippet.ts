import type { Analyser, Range, Snippet } from './types.ts';

export interface SnippetOptions {
  /** Longest extract, UTF-16 units. Default 240. */
  readonly length?: number;
}

const defaultLength = 240;

/** The part of a text that holds most of a search's terms, with the ranges that matched: data, never markup. */
export function makeSnippet(
  text: string,
  query: string,
  analyser: Analyser,
  { length = defaultLength }: SnippetOptions = {},
): Snippet {
  const wanted = new Set(analyser.analyse(query).map((token) => token.term));
  const hits = analyser.analyse(text).filter((token) => wanted.has(token.term));
  hits.sort((a, b) => a.start - b.start || b.end - a.end);
  const start = startOf(text, bestWindow(hits, length), length);
  const end = safeEnd(text, Math.min(text.length, start + length));
  const marks = disjoint(hits.filter((hit) => hit.start >= start && hit.end <= end));
  return {
    text: text.slice(start, end),
    marks: marks.map((mark) => ({ start: mark.start - start, end: mark.end - start })),
    offset: start,
    truncatedStart: start > 0,
    truncatedEnd: end < text.length,
  };
}

/** Start of the window with the most distinct terms, the earliest of equals; 0 without hits. */
function bestWindow(hits: readonly (Range & { readonly term: string })[], length: number): number {
  let best = 0;
  let most = 0;
  for (let first = 0; first < hits.length; first++) {
    const terms = new Set<string>();
    for (let i = first; i < hits.length && hits[i].end <= hits[first].start + length; i++)
      terms.add(hits[i].term);
    if (terms.size > most) [best, most] = [hits[first].start, terms.size];
  }
  return best;
}

/** A little context before the window, beginning at a word. */
function startOf(text: string, window: number, length: number): number {
  if (text.length <= length) return 0;
  const lead = Math.max(0, Math.min(window - Math.floor(length / 5), text.length - length));
  if (lead === 0) return 0;
  const space = text.slice(lead, window).search(/\s/);
  const start = space < 0 ? lead : lead + space + 1;
  return isLowSurrogate(text, start) ? start - 1 : start;
}

function safeEnd(text: string, end: number): number {
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function disjoint(ranges: readonly Range[]): Range[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

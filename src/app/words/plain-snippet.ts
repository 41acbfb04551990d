import type { Range } from '../../corpus/types.ts';

/** Marks of Markdown that only disturb in an extract of two lines: emphasis, code ticks, wiki brackets, table rules. */
const noise =
  /^(?=[^\n]*-)[ \t|:-]+$|\*\*|`+|\[\[|\]\]|^[ \t]*#{1,6} |^[ \t]*[-*+] |\||(?<!\w)_(?=\p{L})|(?<=[\p{L}\p{N}.,!?])_(?!\w)/gmu;

/** An extract without the marks of its markup, and its ranges moved with the text. */
export function plainSnippet(
  text: string,
  marks: readonly Range[],
): { readonly text: string; readonly marks: readonly Range[] } {
  const cuts = [...text.matchAll(noise)].map(({ 0: cut, index }) => ({
    start: index,
    end: index + cut.length,
  }));
  if (cuts.length === 0) return { text, marks };
  let plain = '';
  let at = 0;
  for (const { start, end } of cuts) {
    plain += text.slice(at, start);
    at = end;
  }
  plain += text.slice(at);
  const moved = (offset: number) =>
    offset - cuts.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, offset) - start), 0);
  return {
    text: plain,
    marks: marks
      .map(({ start, end }) => ({ start: moved(start), end: moved(end) }))
      .filter(({ start, end }) => end > start),
  };
}

import type { Text, InlineCode } from 'mdast';
import type { Range } from '../../corpus/types.ts';

/** The marks that fall into a leaf of the tree, relative to its value; none where escapes make offsets differ. */
export function marksWithin(node: Text | InlineCode, marks: readonly Range[]): Range[] {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) return [];
  // `code` stands between its backticks.
  const margin = (end - start - node.value.length) / 2;
  if (margin !== 0 && node.type !== 'inlineCode') return [];
  const at = start + margin;
  return marks
    .map((mark) => ({ start: Math.max(0, mark.start - at), end: Math.min(node.value.length, mark.end - at) }))
    .filter((mark) => mark.end > mark.start);
}

/** True for addresses that a link may have; whatever else a note names stays text. */
export function isSafeLink(url: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(url);
}

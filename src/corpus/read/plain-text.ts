import { OutlineBuilder, type Block, type Outline } from '../outline.ts';
import { trimmed } from '../text-edges.ts';

/** Plain text (or code) to one section of paragraphs, parted at blank lines. */
export function readPlainText(text: string, kind: Block['kind'] = 'prose'): Outline {
  const builder = new OutlineBuilder();
  let start = 0;
  const push = (end: number) => {
    const range = trimmed(text, start, end);
    if (range.end > range.start) builder.block({ ...range, kind });
  };
  for (const { 0: gap, index } of text.matchAll(/\n[^\S\n]*\n\s*/g)) {
    push(index);
    // Keeps the first line's indentation, which code needs.
    start = index + gap.lastIndexOf('\n') + 1;
  }
  push(text.length);
  return { text, sections: builder.finish() };
}

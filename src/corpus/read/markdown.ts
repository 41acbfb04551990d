import MarkdownIt from 'markdown-it';
import { OutlineBuilder, type Outline } from '../outline.ts';
import { trimmed } from '../text-edges.ts';
import type { Range } from '../types.ts';
import { readFrontMatter } from './front-matter.ts';

/**
 * Blocks alone, and no definitions (which would swallow their lines): linear in the text's length also for a line of two
 * million brackets, where micromark (mdast) takes minutes.
 */
const blockParser = new MarkdownIt({ html: true }).disable('reference');
blockParser.core.ruler.enableOnly(['normalize', 'block']);
const inlineParser = new MarkdownIt({ html: true });
const longestHeading = 1_000;

/**
 * Markdown (CommonMark with tables) to sections. The text is the source, unchanged; front matter is in no section. `problem`
 * says why a block that looks like front matter was left in one.
 */
export function readMarkdown(source: string): Outline & { readonly problem?: string } {
  const { metadata, end, problem } = readFrontMatter(source);
  const offsets = lineOffsets(source, end);
  const rangeOf = ([from, to]: [number, number]): Range =>
    trimmed(source, offsets[from], offsets[to] ?? source.length);
  const builder = new OutlineBuilder();
  let firstHeading: string | undefined;
  const tokens = blockParser.parse(source.slice(end), {});
  tokens.forEach(({ type, tag, level, map }, i) => {
    if (map === null || map === undefined || level > 1 || (level === 1 && type !== 'list_item_open')) return;
    const range = rangeOf(map);
    if (type === 'heading_open') {
      const heading = plainHeading(tokens[i + 1].content);
      if (tag === 'h1') firstHeading ??= heading;
      builder.heading(Number(tag.slice(1)), heading, range);
    } else if (type === 'fence' || type === 'code_block') builder.block({ ...range, kind: 'code' });
    else if (type === 'table_open') builder.block({ ...range, kind: 'lines' });
    // A list is there as its items.
    else if (type !== 'bullet_list_open' && type !== 'ordered_list_open' && type !== 'hr') {
      builder.block({ ...range, kind: 'prose' });
    }
  });
  const named = typeof metadata.title === 'string' ? metadata.title.trim() : '';
  const title = named === '' ? firstHeading : named;
  return {
    text: source,
    sections: builder.finish(),
    ...(title !== undefined && title !== '' && { title }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(problem !== undefined && { problem }),
  };
}

/** Where each line from `start` on begins. */
function lineOffsets(text: string, start: number): number[] {
  const offsets = [start];
  for (let at = text.indexOf('\n', start); at >= 0; at = text.indexOf('\n', at + 1)) offsets.push(at + 1);
  return offsets;
}

/** A heading without its marks: `The *cut* [here](x)` is "The cut here". */
function plainHeading(source: string): string {
  const [inline] = inlineParser.parseInline(source.slice(0, longestHeading), {});
  return (inline?.children ?? [])
    .map(({ type, content }) => {
      if (type === 'text' || type === 'code_inline' || type === 'image') return content;
      return type === 'softbreak' || type === 'hardbreak' ? ' ' : '';
    })
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

import { describe, expect, it } from 'vitest';
import { isSafeLink, marksWithin } from '../../../src/app/markdown/marks.ts';
import { parseMarkdown } from '../../../src/app/markdown/parse.ts';
import type { Nodes } from 'mdast';

function leaves(node: Nodes): Extract<Nodes, { type: 'text' | 'inlineCode' }>[] {
  if (node.type === 'text' || node.type === 'inlineCode') return [node];
  return 'children' in node ? node.children.flatMap(leaves) : [];
}

/** The marked stretches of a text as they are shown. */
const shown = (text: string, word: string) => {
  const start = text.indexOf(word);
  return leaves(parseMarkdown(text)).flatMap((leaf) =>
    marksWithin(leaf, [{ start, end: start + word.length }]).map((mark) =>
      leaf.value.slice(mark.start, mark.end),
    ),
  );
};

describe('marks in rendered Markdown', () => {
  it.each([
    ['plain words here', 'words', ['words']],
    ['a **bold** word', 'bold', ['bold']],
    ['run `restic backup` now', 'restic', ['restic']],
    ['two **wo**rds', 'wo**rds', ['wo', 'rds']],
    ['# title\n\n- item one\n- item two', 'two', ['two']],
    ['a &amp; b', 'b', []],
  ])('%j with %j', (text, word, expected) => {
    expect(shown(text, word)).toEqual(expected);
  });

  it('lets links lead to the web and nowhere else', () => {
    expect(['https://a.org', 'http://a.org', 'mailto:a@b.org'].every(isSafeLink)).toBe(true);
    expect(
      ['javascript:alert(1)', 'data:text/html,x', ' javascript:x', 'file:///etc', '#x'].some(isSafeLink),
    ).toBe(false);
  });
});

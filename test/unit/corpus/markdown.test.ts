import { expect, it } from 'vitest';
import { readFile } from '../../../src/corpus/read/read-file.ts';

const read = async (text: string) => readFile('n.md', text);

const note = `---
title: Old trees
tags: [garden, fruit]
created: 2024-01-14
---

Before any heading.

# Old trees

Winter cuts wake a tree up.

\`\`\`js
# not a heading
\`\`\`

## The *cut* [here](x) \`code\`

Just outside the collar.

The cut
-------

Setext, and the same name.

### Deep

| a | b |
| - | - |
| 1 | 2 |

## Empty

## Last
- one
- two
`;

it('parts a note by its headings', async () => {
  const { documents, warnings } = await read(note);
  expect(warnings).toEqual([]);
  expect(documents.map(({ id, title, text }) => [id, title, text])).toEqual([
    ['n.md', 'Old trees', 'Before any heading.'],
    ['n.md#2', 'Old trees', 'Winter cuts wake a tree up.\n\n```js\n# not a heading\n```'],
    ['n.md#the-cut-here-code', 'Old trees › The cut here code', 'Just outside the collar.'],
    ['n.md#the-cut', 'Old trees › The cut', 'Setext, and the same name.'],
    ['n.md#deep', 'Old trees › The cut › Deep', '| a | b |\n| - | - |\n| 1 | 2 |'],
    ['n.md#empty', 'Old trees › Empty', '## Empty'],
    ['n.md#last', 'Old trees › Last', '- one\n- two'],
  ]);
});

it('says where each passage stands and what the front matter holds', async () => {
  const { documents } = await read(note);
  for (const { text, source, metadata } of documents) {
    expect(note.slice(source?.start, source?.end)).toBe(text);
    expect(metadata).toEqual({ title: 'Old trees', tags: ['garden', 'fruit'], created: '2024-01-14' });
  }
  expect(documents[4].source?.headings).toEqual(['Old trees', 'The cut', 'Deep']);
});

it('takes the file name for a title where there is none', async () => {
  expect((await read('Just a line.')).documents).toMatchObject([
    { id: 'n.md', title: 'n', text: 'Just a line.' },
  ]);
});

it('leaves front matter that is not YAML in the text, with a warning', async () => {
  const { documents, warnings } = await read('---\na: [1,\n b: }\n---\nBody');
  // Between rules it is a heading by Markdown's rules: found through the title.
  expect(documents).toMatchObject([{ title: 'n › a: [1, b: }', text: 'Body' }]);
  expect(warnings).toMatchObject([{ code: 'front-matter' }]);
});

it('takes a paragraph between rules for what it is', async () => {
  const { documents, warnings } = await read('---\nA motto.\n---\nBody');
  expect(documents).toMatchObject([{ title: 'n › A motto.', text: 'Body' }]);
  expect(warnings).toEqual([]);
});

it('survives a YAML bomb', async () => {
  const levels = Array.from({ length: 12 }, (_, i) => {
    const items = Array.from({ length: 9 }, () => (i === 0 ? '"lol"' : `*a${i - 1}`));
    return `a${i}: &a${i} [${items.join(',')}]`;
  });
  const { documents, warnings } = await read(`---\n${levels.join('\n')}\n---\nBody`);
  expect(warnings).toMatchObject([{ code: 'front-matter' }]);
  expect(documents.length).toBeGreaterThan(0);
});

it('takes no harm from keys that name prototypes', async () => {
  const { documents } = await read('---\n__proto__: {polluted: yes}\nconstructor: 1\n---\nBody');
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.keys(documents[0].metadata ?? {})).toEqual(['__proto__', 'constructor']);
});

it('reads in time linear in the length, whatever the marks', { timeout: 20_000 }, async () => {
  const hostile = ['[', '*a', '` a', '![](a', '[a](', '|a', '<', '&', '\\', '[^a]: b\n', 'a\n', '> ', '- '];
  for (const piece of hostile) await read(piece.repeat(20_000));
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { passagesOf } from '../../../src/corpus/passages.ts';
import { readMarkdown } from '../../../src/corpus/read/markdown.ts';
import { readPlainText } from '../../../src/corpus/read/plain-text.ts';

const sentence = 'The owl hunts voles in the meadow at night. ';

it('parts long sections near the target, at paragraphs', () => {
  const paragraph = sentence.repeat(10).trim();
  const text = Array.from({ length: 12 }, () => paragraph).join('\n\n');
  const passages = passagesOf('n', readPlainText(text), { target: 1000 });
  expect(passages).toHaveLength(6);
  expect(new Set(passages.map((passage) => passage.text))).toEqual(new Set([`${paragraph}\n\n${paragraph}`]));
  expect(passages.map(({ id }) => id)).toEqual(['n', 'n~2', 'n~3', 'n~4', 'n~5', 'n~6']);
});

it('parts a long paragraph between sentences', () => {
  for (const { text } of passagesOf('n', readPlainText(sentence.repeat(100)), { target: 500 })) {
    expect(text).toMatch(/^The owl .* night\.$/);
    expect(Math.abs(text.length - 500)).toBeLessThan(250);
  }
});

it('keeps code whole, and cuts only what is far too long, between lines', () => {
  const code = (lines: number) => `# A\n\n${sentence}\n\n\`\`\`\n${'call(owl, vole);\n'.repeat(lines)}\`\`\``;
  const whole = passagesOf('n', readMarkdown(code(100)), { target: 500 });
  expect(whole.filter(({ text }) => text.includes('```'))).toHaveLength(1);
  const cut = passagesOf('n', readMarkdown(code(1000)), { target: 500 });
  expect(cut.length).toBeGreaterThan(10);
  for (const { text } of cut.slice(1, -1)) expect(text).toMatch(/^(call\(owl, vole\);\n?)+$/);
});

it('parts a long table between rows and a long list between items', () => {
  const table = `| a | b |\n| - | - |\n${'| owl | vole |\n'.repeat(200)}`;
  for (const { text } of passagesOf('n', readMarkdown(table), { target: 300 })) {
    expect(text).toMatch(/^\|[^]*\|$/);
  }
  const list = Array.from({ length: 60 }, (_, i) => `- item ${i} ${sentence}`).join('\n');
  for (const { text } of passagesOf('n', readMarkdown(list), { target: 300 })) {
    expect(text).toMatch(/^- item/);
  }
});

it('gives the same ids again, and ids that survive an edit elsewhere', () => {
  const note = (intro: string) => readMarkdown(`# T\n${intro}\n## One\nx\n## Two\ny\n## One\nz`);
  const ids = passagesOf('n.md', note('a')).map(({ id }) => id);
  expect(ids).toEqual(['n.md', 'n.md#one', 'n.md#two', 'n.md#one-2']);
  expect(passagesOf('n.md', note('something else')).map(({ id }) => id)).toEqual(ids);
});

it('keeps ids printable, short and apart whatever the headings and names', () => {
  const heading = fc.constantFrom(
    'One',
    'One 2',
    'One-2',
    'one',
    '#',
    '繁體',
    'x'.repeat(600),
    'a\u0007b',
    '😀',
    'A~2',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(heading, { maxLength: 12 }), (name, headings) => {
      const text = headings.map((line) => `## ${line}\n${sentence.repeat(8)}\n`).join('\n');
      const ids = passagesOf(name, readMarkdown(text), { target: 150 }).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) {
        expect(id.length).toBeGreaterThan(0);
        expect(id.length).toBeLessThanOrEqual(512);
        expect(id).not.toMatch(/\p{Cc}/u);
        expect(id.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

it('covers the text in order: no passage overlaps, no word is lost', () => {
  const blocks = [
    '# H\n',
    '## I\n',
    'word '.repeat(30),
    `${sentence}\n\n`,
    '- owl\n- b\n',
    '```\ncode\n```\n',
    '> word\n\n',
    '---\n',
    '| owl |\n| - |\n| 1 |\n\n',
    '<div>word\n',
    '[a]: word\n',
    '\n',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...blocks), { maxLength: 40 }), (parts) => {
      // Rules around a line at the very start would be front matter.
      const text = `\n${parts.join('')}`;
      const passages = passagesOf('n', readMarkdown(text), { target: 120 });
      let last = 0;
      for (const { text: passage, source } of passages) {
        expect(source?.start).toBeGreaterThanOrEqual(last);
        expect(text.slice(source?.start, source?.end)).toBe(passage);
        last = source?.end ?? 0;
      }
      const words = (part: string) => part.match(/word|code|owl/g)?.length ?? 0;
      const found = passages.map((passage) => `${passage.title ?? ''}\n${passage.text}`).join('\n');
      expect(words(found)).toBeGreaterThanOrEqual(words(text));
    }),
  );
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import { makeSnippet } from '../../../src/corpus/snippet.ts';

const analyser = createAnalyser();
const snip = (text: string, query: string, length?: number) => makeSnippet(text, query, analyser, { length });
const marked = (text: string, query: string, length?: number) => {
  const snippet = snip(text, query, length);
  return snippet.marks.map(({ start, end }) => snippet.text.slice(start, end));
};
const filler = 'Nothing of interest stands here. '.repeat(40);

it('shows the stretch with the most of the different words asked for', () => {
  const text = `${filler}An owl, an owl, an owl. ${filler}The owl eats a vole. ${filler}`;
  const snippet = snip(text, 'owl vole', 100);
  expect(snippet.text).toContain('The owl eats a vole.');
  expect(snippet.text.length).toBeLessThanOrEqual(100);
  expect(snippet).toMatchObject({ truncatedStart: true, truncatedEnd: true });
  expect(text.slice(snippet.offset, snippet.offset + snippet.text.length)).toBe(snippet.text);
});

it('begins and ends at words', () => {
  const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ');
  const { text } = snip(words, 'word100', 60);
  expect(text).toMatch(/^word\d+ .*word100.* word\d+$/);
});

it('is the beginning of a text that matches nothing, and the whole of a short one', () => {
  expect(snip(filler, 'zebra', 40)).toEqual({
    text: 'Nothing of interest stands here. Nothing',
    marks: [],
    offset: 0,
    truncatedStart: false,
    truncatedEnd: true,
  });
  expect(snip('  A short note. ', '')).toMatchObject({
    text: 'A short note.',
    offset: 2,
    truncatedStart: false,
    truncatedEnd: false,
  });
});

it('marks words in every form, with their accents', () => {
  expect(marked('Le Châtelier and Λέξεις', 'chatelier λεξεις')).toEqual(['Châtelier', 'Λέξεις']);
  expect(marked('He retrieved; retrieval', 'retrieve')).toEqual(['retrieved', 'retrieval']);
});

it('marks parts of identifiers, and the whole where it was asked for', () => {
  expect(marked('call setAccountHolder(x)', 'account')).toEqual(['Account']);
  expect(marked('the my_snake_case_word here', 'my_snake_case_word')).toEqual(['my_snake_case_word']);
  expect(marked('the my_snake_case_word here', 'snake')).toEqual(['snake']);
  expect(marked('table FINANCIALSERVICEACCOUNT', 'service')).toEqual(['SERVICE']);
  expect(marked('upgrade to 14.2.1.0 at azure.com', '14.2.1.0 azure.com')).toEqual(['14.2.1.0', 'azure.com']);
});

it('marks Han where whole stretches match, not each character', () => {
  expect(marked('全文搜索引擎，线索', '搜索')).toEqual(['搜索']);
  expect(marked('這是繁體中文的筆記', '繁體中文')).toEqual(['繁體中文']);
  expect(marked('家里有一只猫。', '猫')).toEqual(['猫']);
});

it('keeps markup as the text it is', () => {
  const text = '<img src=x onerror=alert(1)> owl <b>owl</b>';
  expect(snip(text, 'owl').text).toBe(text);
});

it('gives sorted, disjoint marks inside the extract and never cuts a character', () => {
  const piece = fc.constantFrom(
    'owl',
    'Châtelier',
    '搜索',
    '😀',
    '👩‍🔬',
    'e\u0301',
    ' ',
    '\n',
    '. ',
    'fooBar',
    '𠮷',
    'x_y',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.array(piece, { maxLength: 4 }),
      fc.integer({ min: 5, max: 80 }),
      (parts, query, length) => {
        const text = parts.join('');
        const snippet = snip(text, query.join(' '), length);
        expect(text.slice(snippet.offset, snippet.offset + snippet.text.length)).toBe(snippet.text);
        expect(snippet.text.isWellFormed()).toBe(true);
        expect(snippet.text).not.toMatch(/^\p{M}/u);
        let last = -1;
        for (const { start, end } of snippet.marks) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(snippet.text.slice(start, end).isWellFormed()).toBe(true);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(snippet.text.length);
      },
    ),
  );
});

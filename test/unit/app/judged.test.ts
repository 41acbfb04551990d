import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatJudgedSearches, parseJudgedSearches, unknownNotes } from '../../../src/app/quality/judged.ts';

const file = (path: string) =>
  readFileSync(new URL(`../../../public/sample-notes/${path}`, import.meta.url), 'utf8');

describe('judged searches', () => {
  it('reads JSON with grades, a grade being 1 where none is given', () => {
    const [search] = parseJudgedSearches(
      '{"searches": [{"query": "q", "relevant": [{"note": "a.md", "grade": 3}, {"note": "b.md"}, "c.md"]}]}',
    );
    expect(search.query).toBe('q');
    expect([...search.relevant]).toEqual([
      ['a.md', 3],
      ['b.md', 1],
      ['c.md', 1],
    ]);
  });

  it('reads lines with tabs, comments and a byte order mark; lines of one query belong together', () => {
    const searches = parseJudgedSearches('\uFEFF# mine\nq\ta.md\t2\r\nq\tb.md\n\nr\tc.md\t1\n');
    expect(searches.map(({ query, relevant }) => [query, [...relevant]])).toEqual([
      [
        'q',
        [
          ['a.md', 2],
          ['b.md', 1],
        ],
      ],
      ['r', [['c.md', 1]]],
    ]);
  });

  it.each([
    ['', 'is empty'],
    ['{"searches": ', 'is not valid JSON'],
    ['{"searches": []}', 'has no list of searches'],
    ['[{"query": " ", "relevant": ["a"]}]', 'has no query in search 1'],
    ['[{"query": "q", "relevant": []}]', 'names no relevant note for “q”'],
    ['[{"query": "q", "relevant": [{"note": "a", "grade": 0}]}]', 'not an integer above 0'],
    ['q\ta.md\tx', 'cannot be read at line 1'],
    ['only a query', 'cannot be read at line 1'],
  ])('refuses %j and says why', (text, reason) => {
    expect(() => parseJudgedSearches(text)).toThrowError(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining(reason) as string,
      }),
    );
  });

  it('survives being written and read again', () => {
    const searches = parseJudgedSearches(file('judged-searches.json'));
    expect(parseJudgedSearches(formatJudgedSearches(searches))).toEqual(searches);
  });

  it('of the samples are thirty and name only notes that the samples have', () => {
    const searches = parseJudgedSearches(file('judged-searches.json'));
    const manifest = JSON.parse(file('index.json')) as { notes: { path: string; bytes: number }[] };
    expect(searches).toHaveLength(30);
    expect(unknownNotes(searches, new Set(manifest.notes.map(({ path }) => path)))).toEqual([]);
    for (const { path, bytes } of manifest.notes) expect(Buffer.byteLength(file(path)), path).toBe(bytes);
  });
});

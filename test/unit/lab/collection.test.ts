import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readCollection } from '../../../src/lab/collection.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const good = {
  corpus: '{"_id":"d1","title":"Châtelier","text":"le principe"}\n{"_id":"d2","title":"","text":"搜索"}\n',
  queries: '{"_id":"q1","text":"who","metadata":{}}\r\n\r\n{"_id":"q2","text":"what"}',
  qrels: 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\tabsent\t1\nq2\td2\t0\n',
};
const read = (change: Partial<typeof good> = {}) => {
  const files = { ...good, ...change };
  return readCollection({
    corpus: bytes(files.corpus),
    queries: bytes(files.queries),
    qrels: bytes(files.qrels),
  });
};

describe('readCollection', () => {
  it('reads documents, queries and judgements', async () => {
    const { documents, queries, qrels } = await read();
    expect(documents).toEqual([
      { id: 'd1', title: 'Châtelier', text: 'le principe' },
      { id: 'd2', text: '搜索' },
    ]);
    expect(queries).toEqual([
      { id: 'q1', text: 'who' },
      { id: 'q2', text: 'what' },
    ]);
    expect([...qrels].map(([query, judged]) => [query, [...judged]])).toEqual([
      [
        'q1',
        [
          ['d1', 2],
          ['absent', 1],
        ],
      ],
      ['q2', [['d2', 0]]],
    ]);
  });

  it('takes gzip as well, and qrels without a header', async () => {
    const plain = await read();
    const packed = await readCollection({
      corpus: gzipSync(good.corpus),
      queries: gzipSync(good.queries),
      qrels: gzipSync(good.qrels.slice(good.qrels.indexOf('\n') + 1)),
    });
    expect(packed).toEqual(plain);
  });

  it.each([
    ['corpus', '{"_id":"d1","text":"a"}\nnot json\n', 2, /not JSON/],
    ['corpus', '{"_id":"d1","text":"a"}\n\n["d2"]\n', 3, /not a JSON object/],
    ['corpus', '{"_id":"d1"}\n', 1, /lacks the text field "text"/],
    ['corpus', '{"_id":"d1","text":"a","title":7}\n', 1, /lacks the text field "title"/],
    ['corpus', '{"_id":"","text":"a"}\n', 1, /empty "_id"/],
    ['corpus', '{"_id":"d1","text":"a"}\n{"_id":"d1","text":"b"}\n', 2, /repeats the id "d1"/],
    ['corpus', '\n', null, /holds no record/],
    ['queries', '{"_id":"q1","text":"a"}\n{"text":"b"}\n', 2, /lacks the text field "_id"/],
    ['qrels', 'query-id\tcorpus-id\tscore\nq1\td1\n', 2, /whole number/],
    ['qrels', 'q1\td1\t.5\n', 1, /whole number/],
    ['qrels', 'q1\td1\t1\nq9\td1\t1\n', 2, /"q9", which queries lacks/],
    ['qrels', 'q1\td1\t1\nq1\td1\t0\n', 2, /second time/],
    ['qrels', 'query-id\tcorpus-id\tscore\n', null, /no judgement/],
  ])('names file and line of what is wrong: %s %j', async (file, content, line, problem) => {
    await expect(read({ [file]: content })).rejects.toMatchObject({
      code: 'unreadable-file',
      details: { file, line },
      message: expect.stringMatching(problem) as string,
    });
  });

  it('refuses a truncated gzip and what is not UTF-8', async () => {
    const files = { corpus: bytes(good.corpus), queries: bytes(good.queries), qrels: bytes(good.qrels) };
    const truncated = gzipSync(good.corpus).subarray(0, 40);
    for (const corpus of [truncated, new Uint8Array([0x7b, 0xff, 0xfe])])
      await expect(readCollection({ ...files, corpus })).rejects.toMatchObject({
        code: 'unreadable-file',
        details: { file: 'corpus', line: null },
      });
  });
});

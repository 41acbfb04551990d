import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findCollection } from '../../../src/app/intake/find-collection.ts';
import type { GivenFile } from '../../../src/app/intake/gather.ts';
import { readGivenCollection } from '../../../src/app/intake/read-collection.ts';

const give = (path: string, content: string | Uint8Array = ''): GivenFile => ({
  path,
  file: new File(
    [typeof content === 'string' ? content : new Uint8Array(content)],
    path.split('/').at(-1) ?? '',
  ),
});
const find = (...paths: string[]) => findCollection(paths.map((path) => give(path)));

describe('a test collection among given files', () => {
  it('is a folder with corpus, queries and judgements, packed or not, wherever the judgements lie', () => {
    const found = find(
      'data/med/README.md',
      'data/med/corpus.jsonl.gz',
      'data/med/queries.jsonl',
      'data/med/qrels.tsv',
    );
    expect(found?.name).toBe('med');
    expect(found?.corpus.path).toBe('data/med/corpus.jsonl.gz');
    expect(found?.qrels?.path).toBe('data/med/qrels.tsv');
    expect(found?.others.map(({ path }) => path)).toEqual(['data/med/README.md']);
    expect(
      find('x/corpus.jsonl', 'x/queries.jsonl.gz', 'x/qrels/train.tsv', 'x/qrels/test.tsv')?.qrels?.path,
    ).toBe('x/qrels/test.tsv');
  });

  it('may be loose files, and may lack judgements', () => {
    expect(find('queries.jsonl', 'corpus.jsonl', 'test.tsv')).toMatchObject({
      name: '',
      qrels: { path: 'test.tsv' },
    });
    expect(find('a/corpus.jsonl', 'a/queries.jsonl')?.qrels).toBeNull();
  });

  it('is not there without searches of its own: then the rows are notes', () => {
    expect(find('notes/corpus.jsonl', 'other/queries.jsonl', 'a.md')).toBeNull();
    expect(find('my-corpus.jsonl', 'queries.jsonl')).toBeNull();
    expect(find()).toBeNull();
  });

  it('must be the only one', () => {
    expect(() => find('a/corpus.jsonl', 'a/queries.jsonl', 'b/corpus.jsonl', 'b/queries.jsonl')).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringMatching(/“a”, “b”.*one at a time/) as string,
      }),
    );
  });
});

describe('reading a test collection', () => {
  const tiny = (name: string) => readFileSync(new URL(`../../fixtures/beir-tiny/${name}`, import.meta.url));
  const given = (qrels: boolean) => {
    const files = [
      give('tiny/corpus.jsonl.gz', gzipSync(tiny('corpus.jsonl'))),
      give('tiny/queries.jsonl', tiny('queries.jsonl')),
      give('tiny/notes.txt', 'not a part'),
      ...(qrels ? [give('tiny/qrels.tsv', tiny('qrels.tsv'))] : []),
    ];
    const found = findCollection(files);
    if (!found) throw new Error('no collection');
    return readGivenCollection(found);
  };
  const lines = (name: string) => tiny(name).toString().trim().split('\n');

  it('gives its documents with their own ids, and its judged searches apart from them', async () => {
    const { documents, judged, skipped } = await given(true);
    const ids = lines('corpus.jsonl').map((line) => (JSON.parse(line) as { _id: string })._id);
    expect(documents.map(({ id }) => id)).toEqual(ids);
    const relevant = lines('qrels.tsv')
      .map((line) => line.split('\t'))
      .filter(([, , score]) => Number(score) > 0);
    expect(judged.flatMap((search) => [...search.relevant.keys()]).sort()).toEqual(
      relevant.map(([, id]) => id).sort(),
    );
    expect(skipped).toEqual(['“tiny/notes.txt” was left out: it is no part of the collection.']);
  });

  it('without judgements leaves the searches aside: they are no notes', async () => {
    const { documents, judged, skipped } = await given(false);
    expect(documents.length).toBeGreaterThan(0);
    expect(judged).toEqual([]);
    expect(skipped.at(-1)).toMatch(/“tiny\/queries\.jsonl” was left out: there are no judgements/);
  });

  it('refuses what is broken, with its line', async () => {
    const files = [
      give('corpus.jsonl', '{"_id":"1","text":"a"}\nno\n'),
      give('queries.jsonl'),
      give('qrels.tsv'),
    ];
    const found = findCollection(files);
    await expect(found && readGivenCollection(found)).rejects.toMatchObject({ code: 'unreadable-file' });
  });
});

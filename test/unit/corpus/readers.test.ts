import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { formatOf } from '../../../src/corpus/read/formats.ts';
import { readFile } from '../../../src/corpus/read/read-file.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = async (name: string, content: Uint8Array | string) => readFile(name, content);
const texts = async (name: string, content: Uint8Array | string) =>
  (await read(name, content)).documents.map(({ text }) => text);
const codeOf = async (promise: Promise<unknown>) => {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SelfIndexError);
  return (error as SelfIndexError).code;
};

it('knows a format by the name', () => {
  expect(
    ['a/b.MD', 'x.jsonl.gz', 'README', 'notes/.hidden', 'a.b/c', 'x.exe', 'page.htm'].map(formatOf),
  ).toEqual(['markdown', 'jsonl', 'text', 'text', 'text', null, 'html']);
});

it('refuses what it cannot read, naming the file', async () => {
  await expect(read('photo.png', '')).rejects.toThrow(/photo\.png.*md, markdown/);
  expect(await codeOf(read('photo.png', ''))).toBe('unsupported-format');
  expect(
    await codeOf(
      read(
        'photo.txt',
        Uint8Array.from({ length: 1000 }, (_, i) => i % 256),
      ),
    ),
  ).toBe('unsupported-format');
  expect(await codeOf(read('a.json', '{"a": '))).toBe('unreadable-file');
  expect(await codeOf(read('a.jsonl', 'not json\nnor this'))).toBe('unreadable-file');
  expect(await codeOf(readFile('a.txt', 'abcdef', { maxBytes: 5 }))).toBe('document-too-large');
});

it('says when a file has nothing to index', async () => {
  const { documents, warnings } = await read('empty.md', '');
  expect(documents).toEqual([]);
  expect(warnings).toMatchObject([{ code: 'no-text' }]);
});

it('decodes UTF-8 and UTF-16 by their marks', async () => {
  const utf16 = (little: boolean) => {
    const view = new DataView(new ArrayBuffer(8));
    [0xfeff, 0x64, 0xfc, 0x641c].forEach((unit, i) => view.setUint16(i * 2, unit, little));
    return new Uint8Array(view.buffer);
  };
  expect(await texts('a.txt', utf16(true))).toEqual(['dü搜']);
  expect(await texts('a.txt', utf16(false))).toEqual(['dü搜']);
  expect(await texts('a.txt', bytes('\ufeffdü搜'))).toEqual(['dü搜']);
});

it('reads other encodings with a warning', async () => {
  const latin = Uint8Array.from([0x43, 0x68, 0xe2, 0x74, 0x65, 0x6c, 0x69, 0x65, 0x72]);
  const { documents, warnings } = await read('old.txt', latin);
  expect(documents[0].text).toBe('Châtelier');
  expect(warnings).toMatchObject([
    { code: 'encoding', message: expect.stringContaining('old.txt') as string },
  ]);
  const page = [...bytes('<meta charset="shift_jis"><p>'), 0x8c, 0x9f, 0x8d, 0xf5];
  expect(await texts('old.html', Uint8Array.from(page))).toEqual(['検索']);
});

it('replaces NUL and lone surrogates, and counts them', async () => {
  const { documents, warnings } = await read('a.txt', 'a\0b \ud800 c\r\nd');
  expect(documents[0].text).toBe('a b \ufffd c\nd');
  expect(warnings).toMatchObject([{ code: 'encoding' }]);
});

it('unpacks gzip, and says when it is damaged or endless', async () => {
  const packed = new Uint8Array(gzipSync('{"_id":"7","text":"owl"}'));
  expect((await read('corpus.jsonl.gz', packed)).documents).toMatchObject([{ id: '7', text: 'owl' }]);
  expect(await codeOf(read('a.txt.gz', packed.subarray(0, 12)))).toBe('unreadable-file');
  expect(await codeOf(read('a.txt.gz', bytes('plain')))).toBe('unreadable-file');
  const bomb = new Uint8Array(gzipSync(new Uint8Array(1_000_000)));
  expect(await codeOf(readFile('a.txt.gz', bomb, { maxBytes: 10_000 }))).toBe('document-too-large');
});

it('keeps code together and splits plain text at blank lines', async () => {
  expect(await texts('a.py', 'def f():\n    return 1\n\n\ndef g(): pass\n')).toEqual([
    'def f():\n    return 1\n\n\ndef g(): pass',
  ]);
  expect((await read('notes/shopping list.txt', 'eggs\n\nmilk')).documents).toMatchObject([
    { id: 'notes/shopping list.txt', title: 'shopping list', text: 'eggs\n\nmilk' },
  ]);
});

it('leaves right-to-left text as it is', async () => {
  const text = 'שָׁלוֹם עולם \u202eabc\u202c مرحبا';
  expect(await texts('a.txt', text)).toEqual([text]);
});

it('reads two megabytes on one line', async () => {
  const line = '![[*`<a '.repeat(250_000);
  const { documents } = await read('a.md', line);
  expect(
    documents
      .map(({ text }) => text)
      .join('')
      .replace(/\s/g, ''),
  ).toBe(line.replace(/\s/g, ''));
  await read('a.html', line);
});

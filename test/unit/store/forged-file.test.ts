import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { craft, goodRecords, lines, raw, sectionsOf } from './craft-file.ts';
import { contentOf, fill, generated, revision, version } from './samples.ts';

describe('a forged file', () => {
  async function problemOf(file: Blob): Promise<string> {
    const store = createMemoryStore('filled');
    await fill(store);
    const before = await contentOf(store);
    const error = await store.import(file).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: 'SelfIndexError', code: 'import-corrupt' });
    expect(await contentOf(store)).toEqual(before);
    return (error as Error).message;
  }

  const polluted = (json: string) => JSON.parse(json) as unknown;
  const first = generated('a', 'first', 1);

  it.each<[string, Partial<typeof goodRecords>, RegExp]>([
    [
      'names a prototype in a document',
      { documents: [polluted('{"id":"a","text":"x","metadata":{"__proto__":{"x":1}}}')] },
      /__proto__ is not allowed/,
    ],
    [
      'names a prototype beside the fields',
      { documents: [polluted('{"id":"a","text":"x","__proto__":{"x":1}}')] },
      /__proto__ is not allowed/,
    ],
    [
      'names a prototype in a setting',
      { settings: [polluted('{"name":"a","value":{"b":[{"__proto__":1}]}}')] },
      /__proto__ is not allowed/,
    ],
    [
      'nests without end',
      { settings: [{ name: 'a', value: polluted('['.repeat(1_000) + ']'.repeat(1_000)) }] },
      /nests deeper/,
    ],
    ['has a document without text', { documents: [{ id: 'a' }] }, /documents\.text must be a string/],
    ['has a document without an id', { documents: [{ id: '', text: '' }] }, /documents\.id/],
    [
      'has a document twice',
      { documents: [...goodRecords.documents, { id: 'a', text: '' }] },
      /document a occurs twice/,
    ],
    ['has a number for a document', { documents: [7] }, /must be an object/],
    ['has an array for a document', { documents: [[]] }, /must be an object/],
    ['has keys without documents', { documents: [{ id: 'a', text: 'one' }] }, /belongs to no document/],
    ['has an original key', { keys: [{ ...first, kind: 'original' }] }, /keys\.kind/],
    ['has a key under the id of another', { keys: [{ ...first, text: 'other' }] }, /is not that of its text/],
    ['has a key born before version 1', { keys: [{ ...first, born: 0 }] }, /lifetime/],
    ['has a key born in the future', { keys: [{ ...first, born: 4 }] }, /lifetime/],
    ['has a key that died before its birth', { keys: [{ ...first, born: 2, died: 1 }] }, /lifetime/],
    ['has a key that dies in the future', { keys: [{ ...first, died: 4 }] }, /lifetime/],
    ['has a key that lives twice', { keys: [first, generated('a', 'first', 3)] }, /lives twice/],
    [
      'has a key twice',
      {
        keys: [
          { ...first, died: 1 },
          { ...first, died: 2 },
        ],
      },
      /lives twice/,
    ],
    ['has a key with a fraction for a birth', { keys: [{ ...first, born: 1.5 }] }, /keys\.born/],
    ['has no versions', { versions: [] }, /no versions/],
    ['lacks a version', { versions: [goodRecords.versions[0], version(2)] }, /version 2 does not follow/],
    [
      'has a version that is its own parent',
      { versions: [goodRecords.versions[0], version(1, { parent: 1 })] },
      /version 1 does not/,
    ],
    [
      'has two beginnings',
      { versions: [goodRecords.versions[0], version(1, { kind: 'initial' })] },
      /version 1 does not/,
    ],
    [
      'restores the future',
      { versions: [goodRecords.versions[0], version(1, { restores: 3 })] },
      /version 1 does not/,
    ],
    [
      'has a revision without a document',
      { revisions: [revision('r', { documentId: 'c' })] },
      /revision r belongs to no document/,
    ],
    [
      'has a revision of no version',
      { revisions: [revision('r', { documentId: 'a', version: 9 })] },
      /no version/,
    ],
    [
      'has a revision with a strange verdict',
      { revisions: [{ ...revision('r', { documentId: 'a' }), verdicts: [{ text: {} }] }] },
      /revisions\.verdicts\[0\]\.keyId/,
    ],
    ['has a query both used and not', { pendingQueries: goodRecords.queries }, /query q1 occurs twice/],
    ['has a run twice', { runs: [goodRecords.runs[0], goodRecords.runs[0]] }, /run run occurs twice/],
    [
      'has a run of unknown status',
      { runs: [{ ...(goodRecords.runs[0] as object), status: 'odd' }] },
      /runs\.status/,
    ],
    [
      'has a batch twice',
      { batches: [goodRecords.batches[0], goodRecords.batches[0]] },
      /batch .* occurs twice/,
    ],
    [
      'has a journal entry twice',
      { journal: [goodRecords.journal[0], goodRecords.journal[0]] },
      /journal entry .* occurs twice/,
    ],
    [
      'has a setting twice',
      { settings: [goodRecords.settings[0], goodRecords.settings[0]] },
      /setting depth occurs twice/,
    ],
    ['has a setting without a value', { settings: [{ name: 'a' }] }, /settings\.value/],
    [
      'has an answer twice',
      { answers: [goodRecords.answers[0], goodRecords.answers[0]] },
      /answer h occurs twice/,
    ],
    [
      'has vectors without dimensions',
      { vectors: [{ space: 's', dimensions: 0, hashes: ['a'] }] },
      /vectors do not fit/,
    ],
    [
      'has more vectors than numbers',
      { vectors: [{ space: 's', dimensions: 2, hashes: ['a', 'b', 'c'] }] },
      /vectors do not fit/,
    ],
    [
      'has vectors beyond all measure',
      { vectors: [{ space: 's', dimensions: 2 ** 52, hashes: ['a', 'b'] }] },
      /vectors do not fit/,
    ],
    [
      'has a vector twice',
      { vectors: [{ space: 's', dimensions: 2, hashes: ['a', 'a'] }] },
      /holds vector a twice/,
    ],
    [
      'has a space of two lengths',
      {
        vectors: [
          { space: 's', dimensions: 1, hashes: ['a'] },
          { space: 's', dimensions: 3, hashes: ['b'] },
        ],
      },
      /differ in length/,
    ],
  ])('that %s is refused', async (_, records, message) => {
    expect(await problemOf(craft(sectionsOf(records)))).toMatch(message);
  });

  it('with vectors that are no numbers is refused', async () => {
    expect(await problemOf(craft(sectionsOf({}, Float32Array.of(1, 2, NaN, 4))))).toMatch(
      /NaN or an infinity/,
    );
  });

  /** The good file with its first section replaced. */
  const withFirst = (section: ReturnType<typeof raw>) => craft([section, ...sectionsOf().slice(1)]);

  it.each<[string, Blob, RegExp]>([
    [
      'that never ends its last line',
      withFirst(raw('documents', Buffer.from('{"id":"a","text":""}'))),
      /last line has no end/,
    ],
    ['that is no JSON', withFirst(raw('documents', Buffer.from('{"id":"a",\n'))), /JSON/],
    ['that is no UTF-8', withFirst(raw('documents', Buffer.from([0x22, 0xff, 0x22, 0x0a]))), /damaged/],
    [
      'that nests without end',
      withFirst(
        raw(
          'documents',
          Buffer.from(`{"id":"a","text":"","metadata":{"m":${'['.repeat(200_000)}${']'.repeat(200_000)}}}\n`),
        ),
      ),
      /nests deeper/,
    ],
    ['with an empty line', withFirst(raw('documents', Buffer.from('\n'))), /damaged/],
    [
      'with fewer records than it says',
      withFirst(lines('documents', goodRecords.documents, { records: 3 })),
      /lacks records/,
    ],
    [
      'with more records than it says',
      withFirst(lines('documents', goodRecords.documents, { records: 1 })),
      /too many records/,
    ],
    [
      'with fewer bytes than it says',
      withFirst(lines('documents', goodRecords.documents, { bytes: 1000 })),
      /shorter than it says/,
    ],
    [
      'with more bytes than it says',
      withFirst(lines('documents', goodRecords.documents, { bytes: 10 })),
      /longer than it says/,
    ],
    [
      'that claims to unpack beyond all measure',
      withFirst(raw('documents', Buffer.alloc(10), { bytes: 2 ** 50 })),
      /larger than it can be/,
    ],
    [
      'that is not as long as it says',
      withFirst(lines('documents', [], { encoding: 'none', bytes: 5 })),
      /larger than it can be/,
    ],
    [
      'that is not packed as it says',
      withFirst({ ...lines('documents', []), data: Buffer.from('hello') }),
      /damaged/,
    ],
    [
      'that unpacks to 400 times its length',
      withFirst(raw('documents', Buffer.alloc(64_000_000))),
      /larger than it can be/,
    ],
    [
      'that hides how much it unpacks to',
      withFirst(raw('documents', Buffer.alloc(64_000_000), { bytes: 1000 })),
      /longer than it says/,
    ],
  ])('with a section %s is refused', async (_, file, message) => {
    expect(await problemOf(file)).toMatch(message);
  });

  it.each<[string, Blob, RegExp]>([
    ['a length beyond the file', craft(sectionsOf(), { headerLength: 0xffffffff }), /header is too long/],
    ['a length within the file', craft(sectionsOf(), { headerLength: 10 }), /JSON/],
    ['no JSON', craft(sectionsOf(), { header: 'hello' }), /JSON/],
    ['another shape', craft(sectionsOf(), { header: '{"sections":{}}' }), /sections must be an array/],
    ['a forged prototype', craft(sectionsOf(), { header: '{"sections":[],"__proto__":{}}' }), /__proto__/],
    ['no sections', craft([]), /sections are not those/],
    ['a section twice', craft([sectionsOf()[0], ...sectionsOf()]), /sections are not those/],
    ['an unknown section', craft([...sectionsOf(), lines('more', [])]), /name must be one of/],
    [
      'an enormous section',
      craft(sectionsOf().map((s, i) => (i === 1 ? { ...s, stored: 2 ** 52 } : s))),
      /do not fill it/,
    ],
    [
      'a section of minus some bytes',
      craft(sectionsOf().map((s, i) => (i === 1 ? { ...s, stored: -4 } : s))),
      /stored must be/,
    ],
  ])('whose header says %s is refused', async (_, file, message) => {
    expect(await problemOf(file)).toMatch(message);
  });

  it('leaves every prototype alone', () => {
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

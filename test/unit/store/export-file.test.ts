import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { decodeSnapshot } from '../../../src/store/file-read.ts';
import { encodeSnapshot } from '../../../src/store/file-write.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import type { Snapshot } from '../../../src/store/snapshot.ts';
import type { IndexStore } from '../../../src/store/types.ts';
import { borders, craft, goodRecords, goodVectors, sectionsOf } from './craft-file.ts';
import { contentOf, fill } from './samples.ts';

async function filled(): Promise<IndexStore> {
  const store = createMemoryStore('filled');
  await fill(store);
  return store;
}

async function bytesOf(file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer());
}

const emptySnapshot: Snapshot = {
  documents: [],
  keys: [],
  versions: [{ version: 0, parent: null, kind: 'initial', at: 0 }],
  revisions: [],
  queries: [],
  pendingQueries: [],
  runs: [],
  batches: [],
  journal: [],
  settings: [],
  answers: [],
  vectors: [],
};

describe('a file', () => {
  it('is read as its format is described', async () => {
    const { vectors, ...records } = goodRecords;
    expect(await decodeSnapshot(craft(sectionsOf()))).toEqual({
      ...records,
      vectors: [{ ...(vectors[0] as object), data: goodVectors }],
    });
  });

  it('brings back whatever texts it is given', async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.integer({ max: 0xffff }).map((c) => String.fromCharCode(c)),
        fc.constant('\n'),
      ),
    });
    const documents = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        text,
        metadata: fc.dictionary(fc.constantFrom('a', 'constructor', 'é'), fc.jsonValue({ maxDepth: 3 })),
      }),
      { selector: ({ id }) => id, maxLength: 20 },
    );
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(documents, async (given) => {
        fc.pre(!JSON.stringify(given).includes('__proto__'));
        const snapshot = { ...emptySnapshot, documents: given as Snapshot['documents'] };
        const read = await decodeSnapshot(await encodeSnapshot(snapshot));
        expect(read.documents).toEqual(plain(given));
      }),
      { numRuns: 60 },
    );
  });

  it('holds more vectors than one string of JSON could', async () => {
    const [rows, dimensions] = [28_000, 384];
    const data = new Float32Array(rows * dimensions);
    for (let i = 0; i < data.length; i++) data[i] = ((i * 7919) % 1000) / 999;
    const hashes = Array.from({ length: rows }, (_, i) => `hash ${i}`);
    const file = await encodeSnapshot({
      ...emptySnapshot,
      vectors: [{ space: 's', dimensions, hashes, data }],
    });
    const [block] = (await decodeSnapshot(file)).vectors;
    expect(block.hashes).toEqual(hashes);
    expect(Buffer.from(block.data.buffer).equals(Buffer.from(data.buffer))).toBe(true);
  });

  it('that is far smaller than its content is still one that can be read', async () => {
    const documents = Array.from({ length: 20 }, (_, i) => ({ id: `d${i}`, text: 'a'.repeat(1_000_000) }));
    const file = await encodeSnapshot({ ...emptySnapshot, documents });
    expect((await decodeSnapshot(file)).documents).toEqual(documents);
  });

  it('of format 1 can be read for ever', async () => {
    const fixture = (name: string) => readFile(new URL(`../../fixtures/export-v1/${name}`, import.meta.url));
    const store = createMemoryStore('format 1');
    await store.import(new Blob([Uint8Array.from(await fixture('index.selfindex'))]));
    const content = JSON.parse(
      JSON.stringify(await contentOf(store), (_, value: unknown) =>
        value instanceof Float32Array ? [...value] : value,
      ),
    ) as unknown;
    expect(content).toEqual(JSON.parse((await fixture('content.json')).toString()));
    expect(await decodeSnapshot(await store.export({ vectors: true, answers: true }))).toBeTruthy();
  });
});

describe('a damaged file', () => {
  async function expectRefused(damaged: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    const store = await filled();
    const before = await contentOf(store);
    for (const bytes of damaged) {
      await expect(store.import(new Blob([bytes]))).rejects.toMatchObject({
        name: 'SelfIndexError',
        code: expect.stringMatching(/^import-(corrupt|unsupported)$/) as string,
        message: expect.stringContaining('left as it was') as string,
      });
    }
    expect(await contentOf(store)).toEqual(before);
  }

  const random = createRandom('damage');

  it('is refused wherever it was cut off', async () => {
    const file = await (await filled()).export({ vectors: true, answers: true });
    const bytes = await bytesOf(file);
    const ends = await borders(file);
    expect(ends.pop()).toBe(bytes.length);
    expect(ends).toHaveLength(18);
    for (let i = 0; i < 50; i++) ends.push(random.integer(bytes.length));
    await expectRefused(ends.map((end) => bytes.slice(0, end)));
  });

  it('is refused wherever a bit was flipped', async () => {
    const bytes = await bytesOf(await (await filled()).export({ vectors: true, answers: true }));
    await expectRefused(
      Array.from({ length: 100 }, () => {
        const copy = bytes.slice();
        copy[random.integer(bytes.length)] ^= 1 << random.integer(8);
        return copy;
      }),
    );
  });

  it('is refused where something was added', async () => {
    const bytes = await bytesOf(await (await filled()).export());
    await expectRefused([Uint8Array.from([...bytes, 0]), Uint8Array.from([...bytes, ...bytes])]);
  });

  it('is told from a file that is none, or of a later release', async () => {
    const store = await filled();
    const later = craft(sectionsOf(), { format: 2 });
    for (const file of [
      later,
      craft(sectionsOf(), { format: 0 }),
      new Blob([]),
      new Blob(['{"documents":[]}']),
    ]) {
      await expect(store.import(file)).rejects.toMatchObject({ code: 'import-unsupported' });
    }
    await expect(store.import(later)).rejects.toThrow('Update Self-Index');
  });
});

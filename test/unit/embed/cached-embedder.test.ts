import { describe, expect, it } from 'vitest';
import { cachedEmbedder, spaceOf, type VectorLookup } from '../../../src/embed/cached-embedder.ts';
import type { Embedder, Fingerprint } from '../../../src/embed/types.ts';

const fingerprint: Fingerprint = {
  model: 'counts',
  revision: '1',
  dtype: 'fp32',
  pooling: 'mean',
  dimensions: 2,
  queryPrefix: '',
  passagePrefix: '',
  tokenizer: 'none',
};

/** Embeds a text as its length and its first code unit; `asked` is all it was asked for. */
class CountingEmbedder implements Embedder {
  readonly asked: string[] = [];
  readonly dimensions = 2;
  readonly maxTokens = 100;
  disposed = false;
  constructor(readonly fingerprint: Fingerprint) {}
  async embed(texts: readonly string[], role: string, options: Parameters<Embedder['embed']>[2] = {}) {
    options.signal?.throwIfAborted();
    this.asked.push(...texts.map((text) => `${role}:${text}`));
    texts.forEach((_, i) => options.onProgress?.(i + 1, texts.length));
    return Float32Array.from(texts.flatMap((text) => [text.length, text.charCodeAt(0)]));
  }
  async dispose() {
    this.disposed = true;
  }
}

class MapVectors implements VectorLookup {
  readonly vectors = new Map<string, Float32Array>();
  async get(space: string, hashes: readonly string[]) {
    return hashes.map((hash) => this.vectors.get(`${space}/${hash}`));
  }
  async put(space: string, entries: readonly { hash: string; vector: Float32Array }[]) {
    for (const { hash, vector } of entries) this.vectors.set(`${space}/${hash}`, vector);
  }
}

function setUp(more: Partial<Fingerprint> = {}, options = {}) {
  const inner = new CountingEmbedder({ ...fingerprint, ...more });
  const store = new MapVectors();
  return { inner, store, embedder: cachedEmbedder(inner, store, options) };
}

describe('an embedder with a cache', () => {
  it('embeds each passage once, also over two lives, and keeps rows in order', async () => {
    const { inner, store, embedder } = setUp();
    expect([...(await embedder.embed(['ab', 'c', 'ab'], 'passage'))]).toEqual([2, 97, 1, 99, 2, 97]);
    const second = new CountingEmbedder(fingerprint);
    const rows = await cachedEmbedder(second, store).embed(['c', 'dd', 'ab'], 'passage');
    expect([...rows]).toEqual([1, 99, 2, 100, 2, 97]);
    expect(inner.asked).toEqual(['passage:ab', 'passage:c']);
    expect(second.asked).toEqual(['passage:dd']);
  });

  it('keeps queries in memory, and not in the store', async () => {
    const { inner, store, embedder } = setUp();
    await embedder.embed(['how'], 'query');
    await embedder.embed(['how'], 'query');
    expect(inner.asked).toEqual(['query:how']);
    expect(store.vectors.size).toBe(0);
  });

  it('lets a query answer for a passage and the reverse where the model treats both alike', async () => {
    const { inner, store, embedder } = setUp();
    await embedder.embed(['a key'], 'query');
    await embedder.embed(['a key'], 'passage');
    expect(store.vectors.size).toBe(1);
    await embedder.embed(['a text'], 'passage');
    await embedder.embed(['a text'], 'query');
    expect(inner.asked).toEqual(['query:a key', 'passage:a text']);
  });

  it('never mixes roles that the model tells apart', async () => {
    const { inner, embedder } = setUp({ queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    await embedder.embed(['text'], 'query');
    await embedder.embed(['text'], 'passage');
    await embedder.embed(['text'], 'query');
    expect(inner.asked).toEqual(['query:text', 'passage:text']);
  });

  it('never mixes vector spaces, and takes a vector of a wrong size for none', async () => {
    const { inner, store, embedder } = setUp();
    await embedder.embed(['text'], 'passage');
    const other = new CountingEmbedder({ ...fingerprint, dtype: 'q8' });
    await cachedEmbedder(other, store).embed(['text'], 'passage');
    expect(other.asked).toEqual(['passage:text']);
    expect(spaceOf(inner.fingerprint)).not.toBe(spaceOf(other.fingerprint));

    for (const key of store.vectors.keys()) store.vectors.set(key, Float32Array.of(1, 2, 3));
    expect([...(await cachedEmbedder(inner, store).embed(['text'], 'passage'))]).toEqual([4, 116]);
  });

  it('forgets the queries used longest ago', async () => {
    const { inner, embedder } = setUp({}, { queries: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await embedder.embed([text], 'query');
    expect(inner.asked).toEqual(['query:a', 'query:b', 'query:c', 'query:b']);
  });

  it('keeps what was embedded before an abort, and reports progress over all texts', async () => {
    const { inner, store, embedder } = setUp();
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
    await embedder.embed(texts.slice(0, 10), 'passage');
    const seen: number[] = [];
    const call = embedder.embed(texts, 'passage', {
      signal: controller.signal,
      onProgress: (done, total) => {
        expect(total).toBe(200);
        seen.push(done);
        if (done === 20) controller.abort(reason);
      },
    });
    await expect(call).rejects.toBe(reason);
    expect(seen.slice(0, 3)).toEqual([10, 11, 12]);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(store.vectors.size).toBe(74);

    await embedder.embed(texts, 'passage');
    expect(new Set(inner.asked).size).toBe(inner.asked.length);
    expect(inner.asked).toHaveLength(200);
  });

  it('disposes of the model', async () => {
    const { inner, embedder } = setUp();
    await embedder.dispose();
    expect(inner.disposed).toBe(true);
    expect(await embedder.embed([], 'query')).toHaveLength(0);
  });
});

import { describe, expect, it, onTestFinished } from 'vitest';
import { connectEngine } from '../../../src/evolve/remote/connect-engine.ts';
import type { ConnectedIndex, EmbeddingStatus, EngineSpec } from '../../../src/evolve/types.ts';

const base = '/test/fixtures/models/';
const encoder = { model: 'tiny-embedder', base, dtype: 'fp32' } as const;
const table = { kind: 'static', model: 'tiny-static', base } as const;
const weighted = { kind: 'static', model: 'tiny-static-weighted', base } as const;

const texts = [
  'the cat sat on the mat',
  'a fast red dog in paris',
  'login key and password',
  'memory of a blue town',
];
const documents = texts.map((text, i) => ({ id: `d${i}`, text }));

async function open(spec: Partial<EngineSpec>): Promise<ConnectedIndex> {
  const index = await connectEngine({
    name: crypto.randomUUID(),
    store: 'memory',
    settings: { retriever: 'hybrid' },
    roles: 'extractive',
    ...spec,
  });
  onTestFinished(() => index.close());
  return index;
}

/** Resolves with the first status, present or to come, of this kind. */
async function until(index: ConnectedIndex, wanted: (status: EmbeddingStatus) => boolean) {
  return new Promise<EmbeddingStatus>((resolve, reject) => {
    const look = (status: EmbeddingStatus) => {
      if (!wanted(status)) return;
      unsubscribe();
      resolve(status);
    };
    const unsubscribe = index.onEmbedding(look);
    index.embedding().then(look, reject);
  });
}

const answeredBy = (model: string) => (status: EmbeddingStatus) => status.answering?.model === model;
const first = async (index: ConnectedIndex) => (await index.search('red dog', { limit: 1 }))[0];

describe('the embedder of an index in workers', () => {
  it('is a static one while the encoder is on its way', async () => {
    const index = await open({ embedder: encoder, instant: table });
    expect((await index.embedding()).answering?.kind).toBe('static');
    await index.add(documents);
    expect((await first(index)).documentId).toBe('d1');
    const status = await until(index, answeredBy(encoder.model));
    expect(status.coming).toBeUndefined();
    expect(status.device).toMatchObject({ device: 'wasm', how: 'asked' });
    const { components } = await first(index);
    expect(components.dense?.rank).toBe(1);
  });

  it('can be changed while it is open, with news of how far it is; and one that is not there changes nothing', async () => {
    const index = await open({ embedder: table });
    await index.add(documents);
    const seen: EmbeddingStatus[] = [];
    index.onEmbedding((status) => seen.push(status));
    await index.setEmbedder(encoder);
    expect((await index.embedding()).answering?.model).toBe(encoder.model);
    expect(seen.map(({ coming }) => coming?.stage)).toContain('loading');
    expect(seen.map(({ coming }) => coming?.stage)).toContain('embedding');
    await expect(index.setEmbedder({ ...encoder, model: 'nowhere' })).rejects.toMatchObject({
      code: 'model-not-found',
    });
    const status = await until(index, ({ failed }) => failed !== undefined);
    expect(status).toMatchObject({
      answering: { model: encoder.model },
      failed: { model: 'nowhere', code: 'model-not-found' },
    });
    expect((await first(index)).documentId).toBe('d1');
  });

  it('is the former one after a reload, until another has embedded everything', async () => {
    const name = crypto.randomUUID();
    const kept = { name, store: 'indexeddb' } as const;
    const before = await connectEngine({ ...specOf(kept), embedder: encoder });
    await before.add(documents);
    await before.close();
    const index = await connectEngine({ ...specOf(kept), embedder: weighted });
    onTestFinished(() => index.destroy());
    expect((await index.embedding()).answering?.model).toBe(encoder.model);
    expect((await first(index)).documentId).toBe('d1');
    await until(index, answeredBy(weighted.model));
    expect(await first(index)).toBeDefined();
  });

  it('is none for an index by words alone: it cannot be changed', async () => {
    const index = await open({ settings: { retriever: 'bm25' } });
    expect(await index.embedding()).toEqual({});
    await expect(index.setEmbedder(table)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

function specOf(kept: Pick<EngineSpec, 'name' | 'store'>): EngineSpec {
  return { settings: { retriever: 'hybrid' }, roles: 'extractive', ...kept };
}

import { describe, expect, it } from 'vitest';
import { openPort } from '../../../src/base/rpc.ts';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import { dot, embedderWorker } from '../fixtures/models.ts';

/** A random BERT of 0.1 MB: 32 dimensions, 128 tokens, fp32. */
const spec = { model: 'tiny-embedder', base: '/test/fixtures/models/', dtype: 'fp32' } as const;
const width = 32;

const words = 'the cat sat on a slow red mat in paris'.split(' ');
const textOf = (length: number) => Array.from({ length }, (_, i) => words[i % words.length]).join(' ');

/** One for all tests that leave it as it is: starting the runtime takes longer than what they ask of it. */
let kept: ReturnType<typeof connectEmbedder> | undefined;
const load = () => (kept ??= connectEmbedder(embedderWorker('kept'), spec));

describe('an embedder in its worker', () => {
  it('gives unit vectors in the order of the texts, whatever their neighbours', async () => {
    const embedder = await load();
    const texts = [40, 1, 7, 0, 90, 7].map(textOf);
    const rows = await embedder.embed(texts, 'passage');
    expect(rows).toHaveLength(texts.length * width);
    for (const [row, text] of texts.entries()) {
      const vector = rows.subarray(row * width, (row + 1) * width);
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
      expect(dot(vector, await embedder.embed([text], 'query'))).toBeCloseTo(1, 5);
    }
    expect(dot(rows.subarray(0, width), rows.subarray(width, 2 * width))).toBeLessThan(0.99);
    expect(await embedder.embed([], 'query')).toHaveLength(0);
  });

  it('cuts what the model cannot read, at any length', async () => {
    const embedder = await load();
    expect(embedder.maxTokens).toBe(128);
    // 126 words and the two special tokens are all it reads.
    const [longest, longer, endless] = [126, 200, 200_000].map(textOf);
    const rows = await embedder.embed([longest, longer, endless, 'x'.repeat(500_000)], 'passage');
    expect(rows.slice(width, 2 * width)).toEqual(rows.slice(0, width));
    expect(rows.slice(2 * width, 3 * width)).toEqual(rows.slice(0, width));
  });

  it('takes any text', async () => {
    const embedder = await load();
    const texts = ['', ' ', '\u0000', '\ud800 lone', 'مرحبا', '<script>', '🦄'.repeat(1000), '[CLS] [PAD]'];
    const rows = await embedder.embed(texts, 'passage');
    expect(rows.every(Number.isFinite)).toBe(true);
  });

  it('reports progress up to the last text', async () => {
    const embedder = await load();
    const seen: [number, number][] = [];
    const onProgress = (done: number, total: number) => seen.push([done, total]);
    await embedder.embed(
      Array.from({ length: 100 }, (_, i) => textOf(i)),
      'passage',
      { onProgress },
    );
    expect(seen.at(-1)).toEqual([100, 100]);
    expect(seen.map(([done]) => done)).toEqual(seen.map(([done]) => done).sort((a, b) => a - b));
  });

  it('stops in the middle when asked to, and is free for the next', async () => {
    const embedder = await load();
    const controller = new AbortController();
    const texts = Array.from({ length: 20_000 }, (_, i) => textOf(100 + (i % 7)));
    const reason = new DOMException('enough', 'AbortError');
    const call = embedder.embed(texts, 'passage', { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await embedder.embed(['cat'], 'query')).toHaveLength(width);
  });

  it('lets a query through while a collection is being embedded', async () => {
    const embedder = await load();
    const controller = new AbortController();
    let finished = false;
    const texts = Array.from({ length: 20_000 }, () => textOf(120));
    const bulk = embedder
      .embed(texts, 'passage', { signal: controller.signal })
      .catch(() => {})
      .finally(() => (finished = true));
    expect(await embedder.embed(['cat'], 'query')).toHaveLength(width);
    expect(finished).toBe(false);
    controller.abort();
    await bulk;
  });

  it('shares one model among the sides that connect, until the last lets go', async () => {
    const worker = embedderWorker();
    const [first, second] = await Promise.all(
      [openPort(worker), openPort(worker)].map((port) => connectEmbedder(port, spec)),
    );
    const vector = await first.embed(['cat'], 'query');
    await first.dispose();
    expect(await second.embed(['cat'], 'query')).toEqual(vector);
    await expect(first.embed(['cat'], 'query')).rejects.toMatchObject({ code: 'model-not-found' });
    await second.dispose();
    await second.dispose();
    const third = await connectEmbedder(openPort(worker), spec);
    expect(await third.embed(['cat'], 'query')).toEqual(vector);
  });

  it('gives a fingerprint that names model, weights, tokenizer and use', async () => {
    const { fingerprint } = await load();
    expect(fingerprint).toMatchObject({ model: 'tiny-embedder', dtype: 'fp32', dimensions: width });
    expect(fingerprint.activations).toBeUndefined();
  });
});

describe('static embeddings in the embedder worker', () => {
  const table = { kind: 'static', model: 'tiny-static', base: '/test/fixtures/models/' } as const;

  it('are there without a runtime, in a space of their own', async () => {
    const embedder = await connectEmbedder(embedderWorker(), table);
    expect(embedder.fingerprint).toMatchObject({ kind: 'static', model: 'tiny-static', dimensions: 8 });
    expect(embedder.device).toBeUndefined();
    const rows = await embedder.embed(['the cat', 'the cat', '字'], 'passage');
    expect(dot(rows.subarray(0, 8), rows.subarray(8, 16))).toBeCloseTo(1, 6);
    expect([...rows.subarray(16)]).toEqual(new Array(8).fill(0));
  });

  it.each([
    ['are missing', { ...table, model: 'nowhere' }],
    ['are a sentence encoder', { ...table, model: 'tiny-embedder' }],
  ])('are refused where they %s', async (_, wrong) => {
    await expect(connectEmbedder(embedderWorker(), wrong)).rejects.toMatchObject({ code: 'model-not-found' });
  });
});

describe('a load that fails', () => {
  it.each([
    ['no such folder', { ...spec, model: 'nowhere' }, 'model-not-found'],
    ['no weights of that dtype', { ...spec, dtype: 'q8' }, 'model-not-found'],
    ['a page instead of files', { ...spec, base: '/test/fixtures/pages/' }, 'model-not-found'],
    ['weights that are cut off', { ...spec, model: 'cut-embedder' }, 'model-corrupt'],
    ['a name that is no folder', { ...spec, model: '../secrets' }, 'invalid-argument'],
    [
      'half precision without a GPU for it',
      { ...spec, dtype: 'fp16', device: 'webgpu' },
      'device-unsupported',
    ],
  ] as const)('says so: %s', async (_, wrong, code) => {
    await expect(connectEmbedder(embedderWorker(), wrong)).rejects.toMatchObject({ code });
  });

  it('can be tried again in the same worker where only a file was missing', async () => {
    const worker = embedderWorker();
    await expect(connectEmbedder(openPort(worker), { ...spec, model: 'nowhere' })).rejects.toThrow();
    const embedder = await connectEmbedder(openPort(worker), spec);
    expect(await embedder.embed(['cat'], 'query')).toHaveLength(width);
  });

  it('rejects with the reason of an abort', async () => {
    const reason = new DOMException('enough', 'AbortError');
    const controller = new AbortController();
    const call = connectEmbedder(embedderWorker(), spec, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

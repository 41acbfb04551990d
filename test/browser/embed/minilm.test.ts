import { describe, expect, it, type TestContext } from 'vitest';
import type { Embedder } from '../../../src/embed/types.ts';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import { dot, embedderRuntimeWorker, embedderWorker, needModel } from '../fixtures/models.ts';

const model = 'all-MiniLM-L6-v2';

interface Reference {
  readonly texts: readonly string[];
  /** fp32, of the original weights. */
  readonly vectors: readonly (readonly number[])[];
  /** What the int8 weights lose, text by text, as the models' README states. */
  readonly cosine_of_q8: readonly number[];
}

/** One worker for all: loading takes longer than everything else together. */
let loading: ReturnType<typeof connectEmbedder> | undefined;
const load = () => (loading ??= connectEmbedder(embedderWorker('kept'), { model }));

/** @param rows which of the reference texts; default all */
async function cosinesToReference(context: TestContext, embedder: Embedder, rows?: readonly number[]) {
  const response = await fetch(`/models/${model}/reference.json`);
  if (!response.ok) context.skip('this copy of the model comes without its reference vectors');
  const reference = (await response.json()) as Reference;
  const asked = rows ?? reference.texts.map((_, row) => row);
  const texts = asked.map((row) => reference.texts[row]);
  const vectors = await embedder.embed(texts, 'passage');
  const cosines = asked.map((row, i) =>
    dot(reference.vectors[row], vectors.subarray(i * 384, (i + 1) * 384)),
  );
  return { cosines, reference, texts, vectors };
}

/** The weights as they were published: CONTRIBUTING.md has the command that makes this folder. */
const original = { model: `${model}-fp32`, dtype: 'fp32' } as const;
const needOriginal = (context: TestContext) =>
  needModel(context, original.model, {
    file: 'onnx/model.onnx',
    how: 'see "The real MiniLM in fp32" in CONTRIBUTING.md',
  });

/** The software adapter takes about a second for each of these, and many for a long one; the probe of ten texts is left to a tiny model. */
const shortTexts = [0, 5, 9];

describe('the real MiniLM with int8 weights', () => {
  it('meets its reference vectors more closely with f32 between the weights than its README states for int8', async (context) => {
    await needModel(context, model);
    const { cosines, reference } = await cosinesToReference(context, await load());
    cosines.forEach((cosine, row) => expect(cosine).toBeGreaterThan(reference.cosine_of_q8[row]));
  });

  it('meets them as its README states with dynamic int8', async (context) => {
    await needModel(context, model);
    const embedder = await connectEmbedder(embedderWorker(), { model, activations: 'int8' });
    const { cosines, reference } = await cosinesToReference(context, embedder);
    expect(embedder.fingerprint).toMatchObject({ dtype: 'q8', activations: 'int8' });
    expect(Math.min(...cosines)).toBeGreaterThanOrEqual(0.983);
    cosines.forEach((cosine, row) => expect(cosine).toBeCloseTo(reference.cosine_of_q8[row], 3));
  });

  it('gives a text the same vector alone, among neighbours, and in either order', async (context) => {
    await needModel(context, model);
    const embedder = await load();
    const texts = [
      'short',
      'a text about the spleen, which filters blood '.repeat(30),
      '繁體',
      '',
      '🦄 \ud800 x',
    ];
    const together = await embedder.embed(texts, 'passage');
    const reversed = await embedder.embed([...texts].reverse(), 'passage');
    for (const [row, text] of texts.entries()) {
      const alone = await embedder.embed([text], 'query');
      expect(alone).toEqual(together.slice(row * 384, (row + 1) * 384));
      const back = texts.length - 1 - row;
      expect(alone).toEqual(reversed.slice(back * 384, (back + 1) * 384));
    }
  });

  it('says which space its vectors live in', async (context) => {
    await needModel(context, model);
    const embedder = await load();
    expect(embedder.fingerprint).toMatchObject({
      model,
      dtype: 'q8',
      pooling: 'mean',
      dimensions: 384,
      activations: 'fp32',
      revision: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      tokenizer: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(embedder.maxTokens).toBe(256);
  });
});

describe('the real MiniLM with its original weights', () => {
  it('meets its reference vectors on the CPU', async (context) => {
    await needOriginal(context);
    const embedder = await connectEmbedder(embedderWorker(), original);
    const { cosines } = await cosinesToReference(context, embedder);
    cosines.forEach((cosine) => expect(cosine).toBeGreaterThan(0.99999));
    expect(embedder.fingerprint).toMatchObject({ dtype: 'fp32', pooling: 'mean', dimensions: 384 });
  });

  it('meets them on WebGPU', async (context) => {
    await needOriginal(context);
    const embedder = await connectEmbedder(embedderRuntimeWorker(), { ...original, device: 'webgpu' });
    const { cosines } = await cosinesToReference(context, embedder, shortTexts);
    cosines.forEach((cosine) => expect(cosine).toBeGreaterThan(0.9999));
  });
});

describe('the real MiniLM with int8 weights on WebGPU', () => {
  it('gives what it gives on the CPU, f32 between the weights', async (context) => {
    await needModel(context, model);
    const embedder = await connectEmbedder(embedderRuntimeWorker(), { model, device: 'webgpu' });
    const { texts, vectors } = await cosinesToReference(context, embedder, shortTexts);
    const onCpu = await (await load()).embed(texts, 'passage');
    texts.forEach((_, i) => {
      const cosine = dot(vectors.subarray(i * 384, (i + 1) * 384), onCpu.subarray(i * 384, (i + 1) * 384));
      expect(cosine).toBeGreaterThan(0.9999);
    });
  });
});

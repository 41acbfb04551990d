import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { LanguageModel } from '../../../src/backbone/types.ts';
import { loadWebLlmModel } from '../../../src/backbone/webllm/load-webllm.ts';
import { connectModel } from '../../../src/backbone/worker-model.ts';
import { conformsAsLanguageModel } from '../../conformance/language-model.ts';
import { silent } from '../../conformance/scripted-answers.ts';
import { heldBytes } from '../fixtures/memory.ts';
import { generatorWorker } from '../fixtures/models.ts';

/** No real GPU is here: the software adapter lacks shader-f16, and no model is compiled for it. What runs is said of each test. */
const base = '/test/fixtures/models/';
const spec = (model: string) => ({ runtime: 'webllm', model, base }) as const;

const fakeEngine = () =>
  new Worker(new URL('../fixtures/fake-webllm.worker.ts', import.meta.url), { type: 'module' });
/** Everything fetched by this page whose address holds the text. */
const fetched = (text: string) =>
  performance.getEntriesByType('resource').filter(({ name }) => name.includes(text));

describe('WebLLM, before it is loaded', () => {
  const neverStarted = () => {
    throw new Error('The worker was started.');
  };

  it('fetches nothing where there is no GPU', async () => {
    const { gpu } = navigator;
    Object.defineProperty(navigator, 'gpu', { value: undefined, configurable: true });
    onTestFinished(() => {
      Object.defineProperty(navigator, 'gpu', { value: gpu, configurable: true });
    });
    const call = loadWebLlmModel(spec('not-fetched'), {}, neverStarted);
    await expect(call).rejects.toMatchObject({ code: 'device-unsupported', details: { missing: 'webgpu' } });
    expect(fetched('not-fetched')).toEqual([]);
  });

  it('fetches nothing for a model of half precision where the GPU has none', async () => {
    const call = loadWebLlmModel(spec('Some-1B-q4f16_1-MLC'), {}, neverStarted);
    const details = { missing: 'shader-f16' };
    await expect(call).rejects.toMatchObject({ code: 'device-unsupported', details });
    expect(fetched('Some-1B')).toEqual([]);
  });

  it('fetches no weights where the GPU lacks what webllm.json asks for', async () => {
    const call = loadWebLlmModel(spec('tiny-webllm/needs-f16'), {}, neverStarted);
    const details = { missing: 'shader-f16' };
    await expect(call).rejects.toMatchObject({ code: 'device-unsupported', details });
  });

  it.each([
    ['nowhere', 'model-not-found'],
    ['tiny-generator', 'model-not-found'],
    ['tiny-webllm/no-program', 'model-not-found'],
    ['tiny-webllm/elsewhere', 'model-corrupt'],
    ['../secret', 'invalid-argument'],
    ['https://huggingface.co/mlc-ai/x', 'invalid-argument'],
  ])('is not started for %s: %s', async (model, code) => {
    await expect(loadWebLlmModel(spec(model), {}, neverStarted)).rejects.toMatchObject({ code });
  });

  it('says so from the generator worker too', async () => {
    const call = connectModel(generatorWorker(), spec('nowhere'));
    await expect(call).rejects.toMatchObject({ code: 'model-not-found' });
  });
});

describe('WebLLM itself, in its worker', () => {
  it('refuses a file with another hash', async () => {
    const call = loadWebLlmModel(spec('tiny-webllm/wrong-hash'));
    await expect(call).rejects.toMatchObject({ code: 'model-corrupt' });
  });

  it('fails typed where the program is none', async () => {
    const call = loadWebLlmModel(spec('tiny-webllm'));
    await expect(call).rejects.toMatchObject({ code: 'model-load-failed' });
  });
});

describe('WebLLM, with a fake engine that speaks the protocol of its worker', () => {
  const load = (model = 'tiny-webllm', options = {}) => loadWebLlmModel(spec(model), options, fakeEngine);

  it('loads with progress, and says what it is', async () => {
    const progress: number[] = [];
    const model = await load('tiny-webllm', {
      onProgress: (done: number, of: number) => progress.push(done / of),
    });
    expect(progress).toEqual([0.5, 1]);
    expect(model.id).toMatch(/^webllm:tiny-webllm@[0-9a-f]{16}$/);
    expect(model).toMatchObject({ contextTokens: 512, promptStyle: 'full', schemas: 'enforced' });
    await model.dispose();
    await expect(model.complete([silent])).rejects.toMatchObject({ code: 'worker-failed' });
  });

  it('cuts again, by the count of the engine, where its own estimate was too low', async () => {
    const model = await load();
    const document = '#'.repeat(1300);
    const content = `Text: ${document} Write!`;
    const cuttable = { start: 6, end: 6 + document.length };
    const [answer] = await model.complete([
      { messages: [{ role: 'user', content, cuttable }], maxTokens: 24 },
    ]);
    expect(answer.cut).toBeGreaterThan(0);
    expect(answer.cut).toBeLessThan(document.length);
    expect(answer.usage.inputTokens).toBeLessThanOrEqual(512);
    await model.dispose();
  });

  it('stops loading when it is told to', async () => {
    const controller = new AbortController();
    const loading = expect(
      loadWebLlmModel(spec('tiny-webllm/hangs'), { signal: controller.signal }, () => {
        queueMicrotask(() => controller.abort());
        return fakeEngine();
      }),
    ).rejects.toMatchObject({ name: 'AbortError' });
    await loading;
  });

  it.each([
    ['tiny-webllm/lost', 'out-of-memory'],
    ['tiny-webllm/crashes', 'worker-failed'],
  ])('fails typed: %s is %s', async (model, code) => {
    await expect(load(model)).rejects.toMatchObject({ code });
  });
});

let model: LanguageModel;
beforeAll(async () => {
  model = await loadWebLlmModel(spec('tiny-webllm'), {}, fakeEngine);
});
conformsAsLanguageModel('WebLLM (a fake engine)', () => model, {
  schema: 'enforced',
  repeats: true,
  counts: false,
  silent: [silent],
  bytes: heldBytes,
});

import { describe, expect, it, onTestFinished, beforeAll, afterAll } from 'vitest';
import {
  loadPromptApi,
  type PromptApi,
  type PromptSession,
} from '../../../src/backbone/browser/prompt-api.ts';
import type { LanguageModel } from '../../../src/backbone/types.ts';
import type { JsonSchema } from '../../../src/base/json.ts';
import { connectEngine } from '../../../src/evolve/remote/connect-engine.ts';
import type { EvolveEvent } from '../../../src/evolve/types.ts';
import { conformsAsLanguageModel } from '../../conformance/language-model.ts';
import { scriptedAnswer, silent } from '../../conformance/scripted-answers.ts';

/**
 * The Chromium of the tests has the API but no model behind it: a fake takes the place of the global, with the API's own shape.
 */
class FakeSession implements PromptSession {
  readonly inputQuota = 4096;
  destroyed = false;
  constructor(private readonly temperature: number) {
    open.add(this);
  }

  async measureInputUsage(input: readonly { readonly content: string }[]): Promise<number> {
    return input.reduce((sum, { content }) => sum + 5 + Math.ceil(content.length / 4), 0);
  }

  promptStreaming(
    input: Parameters<PromptSession['promptStreaming']>[0],
    { signal, responseConstraint }: Parameters<PromptSession['promptStreaming']>[1],
  ): ReadableStream<string> {
    const { text } = scriptedAnswer({
      messages: input,
      maxTokens: 1e6,
      seed: 0,
      temperature: this.temperature,
      schema: responseConstraint as JsonSchema | undefined,
    });
    const pieces = [...text];
    return new ReadableStream({
      pull: async (controller) => {
        if (signal?.aborted) controller.error(signal.reason);
        else {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        }
      },
    });
  }

  destroy(): void {
    this.destroyed = true;
    open.delete(this);
  }
}

const open = new Set<FakeSession>();

function fakeApi(more: Partial<PromptApi> = {}): PromptApi {
  return {
    availability: async () => 'available',
    create: async ({ signal, temperature = 0 }) => {
      signal?.throwIfAborted();
      return new FakeSession(temperature);
    },
    ...more,
  };
}

function behindTheGlobal(api: PromptApi): () => void {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'LanguageModel');
  Object.defineProperty(globalThis, 'LanguageModel', { value: api, configurable: true, writable: true });
  return () => {
    if (own) Object.defineProperty(globalThis, 'LanguageModel', own);
    else Reflect.deleteProperty(globalThis, 'LanguageModel');
  };
}

describe('the language model of the browser', () => {
  it('has no model in the browser of the tests, and that is said', async () => {
    await expect(loadPromptApi()).rejects.toMatchObject({ code: 'device-unsupported' });
  });

  it.each(['unavailable', 'downloadable', 'downloading'] as const)(
    'is not made to download: %s (a fake)',
    async (availability) => {
      let created = false;
      onTestFinished(
        behindTheGlobal(
          fakeApi({
            availability: async () => availability,
            create: async () => {
              created = true;
              return new FakeSession(0);
            },
          }),
        ),
      );
      const details = { availability };
      await expect(loadPromptApi()).rejects.toMatchObject({ code: 'device-unsupported', details });
      expect(created).toBe(false);
    },
  );

  it('fails typed where it does not start, or breaks (a fake)', async () => {
    const broken = async () => {
      throw new DOMException('The model crashed.', 'UnknownError');
    };
    onTestFinished(behindTheGlobal(fakeApi({ create: broken })));
    await expect(loadPromptApi()).rejects.toMatchObject({ code: 'model-load-failed' });
    let sessions = 0;
    behindTheGlobal(fakeApi({ create: async () => (sessions++ === 0 ? new FakeSession(0) : broken()) }));
    const model = await loadPromptApi();
    await expect(model.complete([silent])).rejects.toMatchObject({ code: 'model-failed' });
  });

  it('plays the roles of an index, from the page (a fake)', async () => {
    onTestFinished(behindTheGlobal(fakeApi()));
    const index = await connectEngine({ name: 'prompt-api', store: 'memory', roles: 'prompt-api' });
    try {
      await index.add([{ id: 'a', title: 'Bread', text: 'Let the dough rest in the cold for a night.' }]);
      const events: EvolveEvent[] = [];
      const queries = [{ id: 'q', text: 'dough overnight', kind: 'external' as const }];
      for await (const event of index.evolve({ queries, batch: 1, guard: false })) events.push(event);
      expect(JSON.stringify(events[0])).toContain('prompt-api@');
      expect(events.at(-1)).toMatchObject({ type: 'finished' });
    } finally {
      await index.close();
    }
  });

  it('is missed by an index in a typed way', async () => {
    const index = await connectEngine({ name: 'prompt-api', store: 'memory', roles: 'prompt-api' });
    try {
      await index.add([{ id: 'a', title: 'Bread', text: 'Let the dough rest.' }]);
      const evolving = index.evolve({ batch: 1, guard: false })[Symbol.asyncIterator]();
      await expect(evolving.next()).rejects.toMatchObject({ code: 'device-unsupported' });
    } finally {
      await index.close();
    }
  });
});

describe('the language model of the browser (a fake)', () => {
  let model: LanguageModel;
  let remove = () => {};
  beforeAll(async () => {
    remove = behindTheGlobal(fakeApi());
    model = await loadPromptApi();
    remove();
  });
  afterAll(() => expect(open.size).toBe(0));
  conformsAsLanguageModel('the Prompt API', () => model, {
    schema: 'enforced',
    repeats: false,
    counts: true,
    silent: [silent],
  });
});

import type { GeneratorSpec } from '../../../src/backbone/generator-spec.ts';
import type { CompletionRequest, LanguageModel } from '../../../src/backbone/types.ts';
import { connectModel } from '../../../src/backbone/worker-model.ts';

export interface LmBench {
  /** Loads a model in a worker of its own; milliseconds. */
  open(spec: GeneratorSpec): Promise<number>;
  /** One prompt and a one-token answer: prompt tokens that were computed, a second. */
  reading(text: string): Promise<number>;
  /** Tokens of the answer a second, `together` requests at once, the reading of their prompts included. */
  writing(text: string, together: number): Promise<number>;
  /** The first answer under a schema, and another: milliseconds. */
  schema(text: string): Promise<{ readonly first: number; readonly next: number }>;
  /** Aborts `after` milliseconds into a call; milliseconds until that is told, and until the next answer is there. */
  abort(text: string, after: number): Promise<{ readonly told: number; readonly ready: number }>;
  close(): Promise<void>;
}

declare global {
  var lmBench: LmBench | undefined;
}

let model: LanguageModel | undefined;
let worker: Worker | undefined;

function opened(): LanguageModel {
  if (!model) throw new Error('No model is open.');
  return model;
}

const ask = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 40,
  ...more,
});

const schema = {
  type: 'object',
  properties: { topic: { type: 'string', maxLength: 24 }, concrete: { type: 'boolean' } },
  required: ['topic', 'concrete'],
  additionalProperties: false,
};

async function timed<R>(work: () => Promise<R>): Promise<{ readonly result: R; readonly ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

globalThis.lmBench = {
  async open(spec) {
    worker = new Worker(new URL('../../../workers/generator.worker.ts', import.meta.url), { type: 'module' });
    const { result, ms } = await timed(() => connectModel(worker as Worker, spec));
    model = result;
    return ms;
  },
  async reading(text) {
    const { result, ms } = await timed(() => opened().complete([ask(text, { maxTokens: 1 })]));
    const [{ usage }] = result;
    return (usage.inputTokens - (usage.reusedTokens ?? 0)) / (ms / 1000);
  },
  async writing(text, together) {
    const requests = Array.from({ length: together }, (_, i) => ask(`${text} (${i})`));
    const { result, ms } = await timed(() => opened().complete(requests));
    return result.reduce((sum, { usage }) => sum + usage.outputTokens, 0) / (ms / 1000);
  },
  async schema(text) {
    const requests = ['What is it about?', 'And what is this about?'].map((question) =>
      ask(`${text}\n${question} Answer as JSON.`, { schema }),
    );
    const first = await timed(() => opened().complete([requests[0]]));
    const next = await timed(() => opened().complete([requests[1]]));
    for (const { result } of [first, next])
      if (result[0].value === undefined) throw new Error(`${result[0].problem}: ${result[0].text}`);
    return { first: first.ms, next: next.ms };
  },
  async abort(text, after) {
    const controller = new AbortController();
    const call = opened().complete([ask(text, { maxTokens: 400 })], controller.signal);
    const outcome = call.then(
      () => 'it was over before',
      () => '',
    );
    await new Promise((resolve) => setTimeout(resolve, after));
    const began = performance.now();
    controller.abort();
    const wrong = await outcome;
    if (wrong) throw new Error(wrong);
    const told = performance.now() - began;
    await opened().complete([ask('Hi', { maxTokens: 1 })]);
    return { told, ready: performance.now() - began };
  },
  async close() {
    await model?.dispose();
    worker?.terminate();
    model = undefined;
  },
};

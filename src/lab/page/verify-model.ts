import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import { messageOf, SelfIndexError } from '../../base/errors.ts';
import { makeModel } from '../../evolve/remote/make-roles.ts';
import { ownWorkers, startModels } from '../../evolve/remote/model-workers.ts';
import type { ModelWorkers } from '../../evolve/remote/model-workers.ts';
import { generatorPlace, parseRolesSpec } from '../../roles/spec.ts';

type Check = (model: LanguageModel) => Promise<string>;

const ask = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 60,
  ...more,
});

/** What a model must do on this machine; each says what it saw, or throws what was wrong. */
const checks: readonly (readonly [string, Check])[] = [
  [
    'answers',
    async (model) => {
      const [{ text, usage }] = await model.complete<string>([ask('What is the capital of France?')]);
      if (usage.outputTokens === 0) throw new Error('it said nothing');
      const speed = (usage.inputTokens + usage.outputTokens) / (usage.milliseconds / 1000);
      return `${JSON.stringify(text.slice(0, 80))} (${usage.inputTokens} + ${usage.outputTokens} tokens, ${speed.toFixed(1)}/s)`;
    },
  ],
  [
    'keeps to a schema',
    async (model) => {
      const schema = {
        type: 'object',
        properties: { capital: { type: 'string', maxLength: 20 }, sure: { type: 'boolean' } },
        required: ['capital', 'sure'],
        additionalProperties: false,
      };
      const [{ value, text, problem }] = await model.complete([
        ask('The capital of France, as JSON.', { schema }),
      ]);
      if (value === undefined) throw new Error(`${problem}: ${text}`);
      return text;
    },
  ],
  [
    'says the same for the same seed',
    async (model) => {
      const warm = ask('Tell me a colour.', { temperature: 1, seed: 7, maxTokens: 12 });
      const [first] = await model.complete<string>([warm]);
      const [again] = await model.complete<string>([warm]);
      if (again.text !== first.text) throw new Error(`${first.text} / ${again.text}`);
      return JSON.stringify(first.text);
    },
  ],
  [
    'stops when told to, and goes on',
    async (model) => {
      const controller = new AbortController();
      const call = model.complete([ask('Count to a thousand.', { maxTokens: 600 })], controller.signal);
      const outcome = call.then(
        () => 'not stopped',
        (error: unknown) => (error instanceof Error && error.name === 'AbortError' ? '' : messageOf(error)),
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      const began = performance.now();
      controller.abort();
      const wrong = await outcome;
      if (wrong) throw new Error(wrong);
      const told = performance.now() - began;
      await model.complete([ask('Hello', { maxTokens: 4 })]);
      return `told after ${told.toFixed(0)} ms, ready after ${(performance.now() - began).toFixed(0)} ms`;
    },
  ],
  [
    'cuts a prompt that is too long',
    async (model) => {
      const document = 'word '.repeat(model.contextTokens * 2);
      const content = `${document}\nHow many words?`;
      const messages = [{ role: 'user', content, cuttable: { start: 0, end: document.length } }] as const;
      const [{ cut = 0, usage }] = await model.complete([{ messages, maxTokens: 8 }]);
      if (cut === 0) throw new Error('nothing was cut');
      return `${cut} characters cut, ${usage.inputTokens} tokens of ${model.contextTokens} left`;
    },
  ],
];

/** Runs the checks for roles such as `webllm:ID` and writes a line for each (docs/verify-on-gpu.md). */
export async function verifyModel(report: Element, roles: string): Promise<void> {
  const say = (line: string) => {
    report.textContent += `${line}\n`;
  };
  say(`roles: ${roles || '(none: add ?roles=webllm:ID to the address)'}`);
  say(`browser: ${navigator.userAgent}`);
  const { gpu } = navigator as { gpu?: GPU };
  const adapter = await gpu?.requestAdapter();
  const f16 = adapter?.features.has('shader-f16') ? 'with' : 'without';
  say(`GPU: ${adapter ? `${adapter.info.vendor} ${adapter.info.architecture}, ${f16} shader-f16` : 'none'}`);
  const nothing = {
    get: async (hashes: readonly string[]) => hashes.map(() => undefined),
    put: async () => {},
  };
  let failed = 0;
  let workers: ModelWorkers | undefined;
  try {
    workers = startModels(ownWorkers, {
      embedder: false,
      generator: generatorPlace(parseRolesSpec(roles)),
    });
    const began = performance.now();
    const model = await makeModel({ roles }, { answers: nothing, generator: workers.ports.generator });
    if (!model) throw new SelfIndexError('invalid-argument', 'These roles have no language model.');
    say(`loaded: ${model.id} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    for (const [name, check] of checks) {
      try {
        say(`ok: ${name}: ${await check(model)}`);
      } catch (error) {
        failed++;
        say(`FAILED: ${name}: ${messageOf(error)}`);
      }
    }
    await model.dispose();
  } catch (error) {
    failed++;
    say(`FAILED: ${error instanceof SelfIndexError ? `${error.code}: ` : ''}${messageOf(error)}`);
  } finally {
    workers?.terminate();
  }
  say(failed === 0 ? 'All is well.' : `${failed} failed.`);
}

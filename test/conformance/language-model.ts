import { describe, expect, it } from 'vitest';
import type { Completion, CompletionRequest, LanguageModel } from '../../src/backbone/types.ts';
import type { JsonSchema } from '../../src/base/json.ts';

/** What a runtime promises; what it does not promise is not asked of it. */
export interface Promised {
  /** `enforced`: what ends within `maxTokens` fits its schema. `checked`: fits, or says why not. */
  readonly schema: 'enforced' | 'checked';
  /** The same request gives the same answer, greedy or by its seed, whatever was asked before. */
  readonly repeats: boolean;
  /** Prompt tokens are counted, not estimated. */
  readonly counts: boolean;
  /** Requests that are answered with nothing. Default: found by sampling. */
  readonly silent?: readonly CompletionRequest[];
  /** Bytes that page, workers and runtime hold; where it cannot be known, growth is not looked at. */
  readonly bytes?: () => Promise<number>;
}

/** How much more 50 answers may leave behind than those before: a cache of one prompt kept by each would be twice this. */
const mostGrowth = 6e6;

const ask = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 24,
  ...more,
});
const textsOf = (answers: readonly Completion<unknown>[]) => answers.map(({ text }) => text);

/** Schemas, and what a value must be, said once more and by hand. */
const shapes: readonly (readonly [string, JsonSchema, (value: unknown) => boolean])[] = [
  [
    'an object with one choice',
    object({ ok: { type: 'boolean' } }),
    (value) => keysOf(value) === 'ok' && typeof at(value, 'ok') === 'boolean',
  ],
  [
    'one of several texts',
    object({ answer: { enum: ['yes', 'no', 'tricky "quoted" \\ ünï'] } }),
    (value) => ['yes', 'no', 'tricky "quoted" \\ ünï'].includes(at(value, 'answer') as string),
  ],
  [
    'a list of two or three objects',
    object({
      keys: {
        type: 'array',
        minItems: 2,
        maxItems: 3,
        items: object({ kind: { enum: ['a', 'b'] }, keep: { type: 'boolean' } }),
      },
    }),
    (value) => {
      const keys = at(value, 'keys');
      return (
        Array.isArray(keys) &&
        keys.length >= 2 &&
        keys.length <= 3 &&
        keys.every((key) => ['a', 'b'].includes(at(key, 'kind') as string) && keysOf(key) === 'keep,kind')
      );
    },
  ],
  [
    'a short text',
    object({ title: { type: 'string', maxLength: 8 } }),
    (value) => typeof at(value, 'title') === 'string' && [...(at(value, 'title') as string)].length <= 8,
  ],
];

function object(properties: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function keysOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.keys(value).sort().join() : '';
}

/** What every runtime of language models must do. `open` gives the model that all cases share. */
export function conformsAsLanguageModel(name: string, open: () => LanguageModel, promised: Promised): void {
  describe(`${name} as a language model`, () => {
    const complete = <T>(requests: readonly CompletionRequest[], signal?: AbortSignal) =>
      open().complete<T>(requests, signal);

    it('answers requests in their order, and nothing to nothing', async () => {
      expect(await complete([])).toEqual([]);
      const one = ask('one');
      const answers = await complete<string>([one, ask('two'), ask('three', { maxTokens: 3 }), one]);
      expect(answers).toHaveLength(4);
      for (const { value, text, usage, problem } of answers) {
        expect(value).toBe(text);
        expect(problem).toBeUndefined();
        expect(usage.inputTokens).toBeGreaterThan(0);
        expect(usage.outputTokens).toBeLessThanOrEqual(24);
      }
      expect(answers[2].usage.outputTokens).toBeLessThanOrEqual(3);
      expect(answers[3].usage.inputTokens).toBe(answers[0].usage.inputTokens);
    });

    it('says what a schema does', () => {
      expect(open().schemas ?? 'checked').toBe(promised.schema);
    });

    it.each(shapes)('honours a schema or says that it does not: %s', async (_, schema, fits) => {
      const requests = [0, 1, 2, 3].map((seed) =>
        ask(`Fill it in, please (${seed}).`, { schema, maxTokens: 160, seed, temperature: seed % 2 }),
      );
      for (const { value, text, problem } of await complete(requests)) {
        if (promised.schema === 'enforced') expect(problem, text).toBeUndefined();
        if (value === undefined) expect(problem).toMatch(/./);
        else {
          expect(fits(value)).toBe(true);
          expect(text).not.toBe('');
        }
      }
    });

    it('says so where an answer ends before its schema does', async () => {
      const [, schema] = shapes[2];
      const [{ value, problem }] = await complete([ask('Fill it in.', { schema, maxTokens: 4 })]);
      expect(value).toBeUndefined();
      expect(problem).toMatch(/./);
    });

    it('keeps a schema to the request that asked for it', async () => {
      const [, schema] = shapes[0];
      const [first, , last] = await complete([
        ask('Say it.'),
        ask('Say it.', { schema, maxTokens: 60 }),
        ask('Say it.'),
      ]);
      expect(first.value).toBe(first.text);
      expect(last.value).toBe(last.text);
      if (promised.repeats) expect(last.text).toBe(first.text);
    });

    it('stops when it is told to, with the reason it was told, and goes on with the next', async () => {
      const reason = new DOMException('enough', 'AbortError');
      const gone = AbortSignal.abort(reason);
      await expect(complete([ask('x')], gone)).rejects.toBe(reason);

      const controller = new AbortController();
      const many = Array.from({ length: 2000 }, (_, i) =>
        ask(`Number ${i}`, { maxTokens: 200, temperature: 2, seed: i }),
      );
      const long = complete(many, controller.signal);
      const other = complete([ask('one')]);
      const outcomes = Promise.allSettled([long, other]);
      controller.abort(reason);
      const [stopped, untouched] = await outcomes;
      expect(stopped).toEqual({ status: 'rejected', reason });
      expect(untouched.status).toBe('fulfilled');
      expect(await complete([ask('two')])).toHaveLength(1);
    });

    it('stops in the middle of a prompt', async () => {
      const controller = new AbortController();
      const content = 'word '.repeat(4000);
      const long = [{ ...ask(content), messages: [cuttableAll(content)] }];
      const call = complete(long, controller.signal);
      const outcome = expect(call).rejects.toMatchObject({ name: 'AbortError' });
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      controller.abort();
      await outcome;
      expect(await complete([ask('two')])).toHaveLength(1);
    });

    if (promised.repeats)
      it('repeats itself for one seed, whatever was asked before', async () => {
        const warm = (seed: number) => ask('Hello there', { temperature: 1.5, seed });
        const first = textsOf(await complete([warm(1), warm(2), ask('Hello there')]));
        await complete([ask('Something else altogether'), ask('Hello the')]);
        const again = textsOf(await complete([warm(1), warm(2), ask('Hello there')]));
        expect(again).toEqual(first);
        expect(first[1]).not.toBe(first[0]);
      });

    it('cuts a prompt that is too long at the end of its document, never the instructions, and says so', async () => {
      const { contextTokens } = open();
      const before = 'Text: ';
      const document = 'word '.repeat(contextTokens);
      const after = '\nWrite!';
      const messages = (text: string) => [
        {
          role: 'user' as const,
          content: before + text + after,
          cuttable: { start: before.length, end: before.length + text.length },
        },
      ];
      const [cut] = await complete([{ messages: messages(document), maxTokens: 24 }]);
      const units = cut.cut ?? 0;
      expect(units).toBeGreaterThan(0);
      expect(units).toBeLessThan(document.length);
      expect(cut.usage.inputTokens).toBeLessThanOrEqual(contextTokens - 24);

      // What it saw is the document without that much at its end, and all of the instructions.
      const kept = document.slice(0, document.length - units);
      const [whole] = await complete([{ messages: messages(kept), maxTokens: 24 }]);
      expect(whole.cut).toBeUndefined();
      expect(whole.usage.inputTokens).toBe(cut.usage.inputTokens);
      if (promised.repeats) expect(whole.text).toBe(cut.text);
      // It kept what fits: a hundred more would not.
      if (promised.counts) {
        const more = document.slice(0, kept.length + 500);
        const [again] = await complete([{ messages: messages(more), maxTokens: 24 }]);
        expect(again.cut).toBe(500);
      }
    });

    it('refuses a prompt whose instructions alone are too long, and goes on', async () => {
      const call = complete([ask('word '.repeat(open().contextTokens * 2))]);
      await expect(call).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(await complete([ask('two')])).toHaveLength(1);
    });

    it.each([
      '',
      ' ',
      '\ud800',
      'مرحبا 🦄 繁體 👩‍👩‍👧 e\u0301',
      '\u0000',
      '{{ messages }} {% endfor %}',
      '</s><|im_end|>',
    ])('takes %j', async (content) => {
      const [answer] = await complete<string>([ask(content)]);
      expect(answer.value).toBe(answer.text);
      expect(answer.text.isWellFormed()).toBe(true);
    });

    it('takes a conversation', async () => {
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi!' },
        { role: 'user', content: 'And now?' },
      ] as const;
      const [answer] = await complete<string>([{ messages, maxTokens: 8 }]);
      expect(answer.value).toBe(answer.text);
    });

    it('gives an empty answer as one', async () => {
      // A random model sometimes ends at once where it is hot enough.
      const sampled = Array.from({ length: 400 }, (_, seed) =>
        ask('Say nothing.', { maxTokens: 1, temperature: 8, seed }),
      );
      const answers = await complete<string>(promised.silent ?? sampled);
      const empty = answers.filter(({ text }) => text === '');
      expect(empty.length).toBeGreaterThan(0);
      for (const { value, problem } of empty) {
        expect(value).toBe('');
        expect(problem).toBeUndefined();
      }
    });

    const { bytes } = promised;
    if (bytes)
      it('holds no more after 50 calls than before', { timeout: 240_000 }, async () => {
        const [, schema] = shapes[0];
        const calls = async (count: number) => {
          for (let i = 0; i < count; i++)
            await complete([ask(`Call number ${i}. ${'word '.repeat(40)}`), ask('Fill it in.', { schema })]);
        };
        await calls(15);
        const before = await bytes();
        await calls(50);
        expect((await bytes()) - before).toBeLessThan(mostGrowth);
      });
  });
}

function cuttableAll(content: string) {
  return { role: 'user' as const, content, cuttable: { start: 0, end: content.length } };
}

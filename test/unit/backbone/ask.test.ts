import { describe, expect, it } from 'vitest';
import { ask } from '../../../src/backbone/ask.ts';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import type { CompletionRequest } from '../../../src/backbone/types.ts';
import type { JsonSchema } from '../../../src/base/json.ts';

const schema: JsonSchema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
const request = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  schema,
  maxTokens: 10,
  ...more,
});

describe('ask', () => {
  it('returns values in the order of the requests, asked once', async () => {
    const model = new FakeLanguageModel({ answer: ({ messages }) => ({ n: Number(messages[0].content) }) });
    const answers = await ask<{ n: number }>(model, [request('3'), request('4')]);
    expect(answers.map((answer) => answer.ok && answer.value.n)).toEqual([3, 4]);
    expect(model.calls).toHaveLength(1);
    expect(answers[0].usage).toEqual({
      calls: 1,
      cached: 0,
      inputTokens: 1,
      outputTokens: 2,
      milliseconds: 1,
    });
  });

  it('asks again only what did not fit, with the next seed and not greedily', async () => {
    const model = new FakeLanguageModel({
      answer: ({ messages, seed }) => (messages[0].content === 'bad' && seed !== 6 ? 'sorry' : { n: 1 }),
    });
    const answers = await ask(model, [request('good', { seed: 5 }), request('bad', { seed: 5 })]);
    expect(answers.map((answer) => answer.ok)).toEqual([true, true]);
    expect(model.calls[1]).toEqual([request('bad', { seed: 6, temperature: 0.7 })]);
    expect(answers[1].usage).toMatchObject({ calls: 2, inputTokens: 2 });
  });

  it('keeps the temperature of a request that samples anyway', async () => {
    const model = new FakeLanguageModel({ answer: () => 'sorry' });
    await ask(model, [request('bad', { temperature: 0.2 })]);
    expect(model.calls[1][0]).toMatchObject({ seed: 1, temperature: 0.2 });
  });

  it('gives up after the second misfit, says why, and counts both tries', async () => {
    const model = new FakeLanguageModel({ answer: () => ({ n: 'one' }) });
    const [answer] = await ask(model, [request('bad')]);
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('#/n') as string });
    expect(answer.usage.calls).toBe(2);
    expect(model.calls).toHaveLength(2);
  });

  it('takes any text where no schema asks for more', async () => {
    const model = new FakeLanguageModel({ answer: () => '' });
    const [answer] = await ask<string>(model, [{ messages: [], maxTokens: 1 }]);
    expect(answer).toMatchObject({ ok: true, value: '' });
    expect(model.calls).toHaveLength(1);
  });

  it('rejects with the reason of its signal, before and during a call', async () => {
    const reason = new DOMException('enough', 'AbortError');
    const early = new FakeLanguageModel();
    await expect(ask(early, [request('1')], AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(early.calls).toHaveLength(0);

    const controller = new AbortController();
    const late = new FakeLanguageModel({ before: async () => controller.abort(reason) });
    await expect(ask(late, [request('1')], controller.signal)).rejects.toBe(reason);
    expect(late.calls).toHaveLength(1);
  });

  it('lets the failure of a model through', async () => {
    const model = new FakeLanguageModel({
      answer: () => {
        throw new Error('out of memory');
      },
    });
    await expect(ask(model, [request('1')])).rejects.toThrow('out of memory');
  });

  it('asks nothing for nothing', async () => {
    const model = new FakeLanguageModel();
    expect(await ask(model, [])).toEqual([]);
    expect(model.calls).toHaveLength(0);
  });
});

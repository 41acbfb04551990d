import { describe, expect, it } from 'vitest';
import { ask } from '../../../src/backbone/ask.ts';
import { withCache } from '../../../src/backbone/cached-model.ts';
import { FakeLanguageModel, type FakeModelOptions } from '../../../src/backbone/fake-model.ts';
import type { AnswerCache, CompletionRequest } from '../../../src/backbone/types.ts';

const request = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 10,
  ...more,
});

/** A cache as the store keeps it: what is read is never the object that was written. */
class MapCache implements AnswerCache {
  readonly entries = new Map<string, string>();
  async get(hashes: readonly string[]): Promise<unknown[]> {
    return hashes.map((hash) => {
      const entry = this.entries.get(hash);
      return entry === undefined ? undefined : (JSON.parse(entry) as unknown);
    });
  }
  async put(entries: readonly { hash: string; answer: unknown }[]): Promise<void> {
    for (const { hash, answer } of entries) this.entries.set(hash, JSON.stringify(answer));
  }
}

const echo: FakeModelOptions['answer'] = ({ messages }) => `re ${messages[0].content}`;
const contents = (model: FakeLanguageModel) =>
  model.calls.map((batch) => batch.map(({ messages }) => messages[0].content));

describe('a model with a cache', () => {
  it('pays for no answer twice, and says what was free', async () => {
    const model = new FakeLanguageModel({ answer: echo });
    const cached = withCache(model, new MapCache());
    const first = await cached.complete([request('a'), request('b')]);
    const second = await cached.complete([request('a'), request('b')]);
    expect(contents(model)).toEqual([['a', 'b']]);
    expect(first.map(({ cached }) => cached)).toEqual([undefined, undefined]);
    expect(second).toEqual(first.map((completion) => ({ ...completion, cached: true })));
  });

  it('asks only for what is missing, equal requests once, and keeps the order', async () => {
    const model = new FakeLanguageModel({ answer: echo, batchSize: 2 });
    const cached = withCache(model, new MapCache());
    await cached.complete([request('b')]);
    const answers = await cached.complete(['a', 'b', 'c', 'a', 'd'].map((text) => request(text)));
    expect(contents(model)).toEqual([['b'], ['a', 'c'], ['d']]);
    expect(answers.map(({ value }) => value)).toEqual(['re a', 're b', 're c', 're a', 're d']);
  });

  it.each([
    ['seed', { seed: 1 }],
    ['temperature', { temperature: 0.5 }],
    ['schema', { schema: { type: 'string' } }],
    ['maxTokens', { maxTokens: 11 }],
    ['cuttable part', { messages: [{ role: 'user', content: 'a', cuttable: { start: 0, end: 1 } }] }],
  ] as const)('does not confuse requests that differ in %s', async (_, more) => {
    const model = new FakeLanguageModel({ answer: echo });
    const cached = withCache(model, new MapCache());
    await cached.complete([request('a')]);
    await cached.complete([request('a', more)]);
    expect(model.asked).toBe(2);
  });

  it('does not confuse models', async () => {
    const cache = new MapCache();
    const models = ['one', 'two'].map((id) => new FakeLanguageModel({ id, answer: () => id }));
    for (const model of models) await withCache(model, cache).complete([request('a')]);
    expect(models.map(({ asked }) => asked)).toEqual([1, 1]);
  });

  it('reads a batch of a sensitive model as a whole or not at all', async () => {
    const answer: FakeModelOptions['answer'] = ({ messages }, { batch }) =>
      `${messages[0].content} of ${batch}`;
    const model = new FakeLanguageModel({ answer, batchSensitive: true, batchSize: 2 });
    const cached = withCache(model, new MapCache());
    const texts = ['a', 'b', 'c'].map((text) => request(text));
    const first = await cached.complete(texts);
    expect(contents(model)).toEqual([['a', 'b'], ['c']]);
    expect(first.map(({ value }) => value)).toEqual(['a of 2', 'b of 2', 'c of 1']);

    const again = await cached.complete(texts);
    expect(again.map(({ value }) => value)).toEqual(first.map(({ value }) => value));
    expect(model.calls).toHaveLength(2);

    await cached.complete([texts[0], texts[2]]);
    expect(contents(model)[2]).toEqual(['a', 'c']);
  });

  it('keeps each finished batch when a later one fails', async () => {
    const cache = new MapCache();
    const failing = new FakeLanguageModel({
      batchSize: 2,
      answer: (asked) => {
        if (asked.messages[0].content === 'c') throw new Error('killed');
        return 'fine';
      },
    });
    const texts = ['a', 'b', 'c'].map((text) => request(text));
    await expect(withCache(failing, cache).complete(texts)).rejects.toThrow('killed');
    const healed = new FakeLanguageModel({ batchSize: 2, answer: () => 'fine' });
    await withCache(healed, cache).complete(texts);
    expect(contents(healed)).toEqual([['c']]);
  });

  it('returns nothing that was not written', async () => {
    const cache = new MapCache();
    cache.put = () => Promise.reject(new Error('quota'));
    await expect(withCache(new FakeLanguageModel(), cache).complete([request('a')])).rejects.toThrow('quota');
  });

  it('takes an unreadable entry for a missing one', async () => {
    const cache = new MapCache();
    const model = new FakeLanguageModel({ answer: echo, weigh: () => [1, 3] });
    const cached = withCache(model, cache);
    const choice = { messages: [], options: ['no', 'yes'] };
    await cached.complete([request('a')]);
    await cached.choose?.([choice]);
    for (const garbage of [
      'null',
      '7',
      '{}',
      '{"text":1,"usage":{}}',
      '{"usage":{"inputTokens":1,"outputTokens":1,"milliseconds":1}}',
    ]) {
      for (const hash of cache.entries.keys()) cache.entries.set(hash, garbage);
      expect((await cached.complete([request('a')]))[0]).toMatchObject({ value: 're a' });
      expect((await cached.choose?.([choice]))?.[0].probabilities).toEqual(Float32Array.of(0.25, 0.75));
    }
    expect(model.asked).toBe(12);
  });

  it('remembers choices as well', async () => {
    const model = new FakeLanguageModel({ weigh: () => [1, 3] });
    const cached = withCache(model, new MapCache());
    const choice = { messages: [{ role: 'user', content: 'is it?' }], options: ['no', 'yes'] } as const;
    await cached.choose?.([choice]);
    const again = await cached.choose?.([choice]);
    expect(again?.[0]).toMatchObject({ probabilities: Float32Array.of(0.25, 0.75), cached: true });
    expect(model.choices).toHaveLength(1);
    expect('choose' in withCache(new FakeLanguageModel(), new MapCache())).toBe(false);
  });

  it('remembers misfits, so that asking again costs nothing either', async () => {
    const model = new FakeLanguageModel({ answer: () => 'sorry' });
    const cached = withCache(model, new MapCache());
    const asked = [request('a', { schema: { type: 'object' } })];
    await ask(cached, asked);
    const [answer] = await ask(cached, asked);
    expect(answer).toMatchObject({ ok: false, usage: { calls: 0, cached: 2, inputTokens: 0 } });
    expect(model.asked).toBe(2);
  });
});

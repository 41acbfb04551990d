import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createOpenAiModel, type OpenAiOptions } from '../../../src/backbone/openai-model.ts';
import type { CompletionRequest } from '../../../src/backbone/types.ts';
import { serveWhile, type TestServer } from '../fixtures/http-server.ts';

const request = (content: string, more: Partial<CompletionRequest> = {}): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 50,
  ...more,
});

function say(response: ServerResponse, content: unknown, more: object = {}): void {
  const body = {
    choices: [{ message: { role: 'assistant', content }, ...more }],
    usage: { prompt_tokens: 12, completion_tokens: 3 },
  };
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
}

const modelAt = (server: TestServer, more: Partial<OpenAiOptions> = {}) =>
  createOpenAiModel({ url: `${server.url}v1`, model: 'some-model', ...more });

describe('an OpenAI-compatible endpoint', () => {
  it('is asked in its own protocol', async () => {
    const schema = { type: 'object', required: ['keep'] };
    let key: string | undefined;
    const server = await serveWhile((asked, response) => {
      key = asked.headers.authorization;
      say(response, '{"keep": [1]}');
    });
    const model = modelAt(server, { apiKey: 'secret' });
    const [answer] = await model.complete([request('hello', { schema, seed: 3, temperature: 0.5 })]);
    expect(answer).toMatchObject({ value: { keep: [1] }, usage: { inputTokens: 12, outputTokens: 3 } });
    expect(key).toBe('Bearer secret');
    expect(server.requests[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(JSON.parse(server.requests[0].body)).toEqual({
      model: 'some-model',
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 50,
      seed: 3,
      temperature: 0.5,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    });
  });

  it('is not believed where its answer does not fit the schema', async () => {
    const server = await serveWhile((_, response) => say(response, 'Sure!'));
    const [answer] = await modelAt(server).complete([request('x', { schema: { type: 'object' } })]);
    expect(answer).toMatchObject({ value: undefined, text: 'Sure!', problem: expect.any(String) as string });
  });

  it('answers many in order, only so many at once', async () => {
    let open = 0;
    let most = 0;
    const server = await serveWhile((asked, response) => {
      most = Math.max(most, ++open);
      const [{ content }] = (JSON.parse(asked.text) as { messages: { content: string }[] }).messages;
      // The first asked is the last to be answered.
      setTimeout(
        () => {
          open--;
          say(response, `re ${content}`);
        },
        20 - Number(content),
      );
    });
    const answers = await modelAt(server, { parallel: 3 }).complete(
      [...Array(10).keys()].map((i) => request(`${i}`)),
    );
    expect(answers.map(({ value }) => value)).toEqual([...Array(10).keys()].map((i) => `re ${i}`));
    expect(most).toBe(3);
  });

  it('gets its time when it asks for patience', async () => {
    const waits: number[] = [];
    const refusals: [number, string | undefined][] = [
      [429, '7'],
      [503, undefined],
      [500, new Date(Date.now() + 3600_000).toUTCString()],
      [429, '-3'],
    ];
    const server = await serveWhile((_, response) => {
      const next = refusals.shift();
      if (!next) return say(response, 'at last');
      response.writeHead(next[0], next[1] === undefined ? {} : { 'Retry-After': next[1] }).end('busy');
    });
    const model = modelAt(server, { wait: async (milliseconds) => void waits.push(milliseconds) });
    expect((await model.complete([request('x')]))[0].value).toBe('at last');
    // Seconds as asked; the second of 1, 2, 4, 8 s; an hour is bounded to a minute; the past is now.
    expect(waits).toEqual([7000, 2000, 60_000, 0]);
  });

  it('fails with its status after five tries, and at once where trying again is no use', async () => {
    const server = await serveWhile((asked, response) => {
      response.writeHead(asked.url?.startsWith('/busy') ? 429 : 401).end('bad key: secret');
    });
    const patient = { wait: async () => {}, apiKey: 'secret' };
    const busy = createOpenAiModel({ url: `${server.url}busy`, model: 'm', ...patient });
    await expect(busy.complete([request('x')])).rejects.toMatchObject({
      code: 'endpoint-failed',
      details: { status: 429 },
    });
    expect(server.requests).toHaveLength(5);
    const refused = modelAt(server, patient).complete([request('x')]);
    await expect(refused).rejects.toMatchObject({ code: 'endpoint-failed', details: { status: 401 } });
    await expect(refused).rejects.not.toThrow('secret');
    expect(server.requests).toHaveLength(6);
  });

  it.each([
    ['a web page', '<html>'],
    ['JSON of another kind', '{"object": "list"}'],
    ['null', 'null'],
    ['a choice without a message', '{"choices": [{}]}'],
  ])('fails where it answers with %s', async (_, body) => {
    const server = await serveWhile((_request, response) => void response.end(body));
    await expect(modelAt(server).complete([request('x')])).rejects.toMatchObject({ code: 'endpoint-failed' });
  });

  it('may leave its answer empty', async () => {
    const server = await serveWhile((_, response) => say(response, null));
    expect((await modelAt(server).complete([request('x')]))[0]).toMatchObject({ text: '', value: '' });
  });

  it('fails where nobody is there', async () => {
    const model = createOpenAiModel({ url: 'http://127.0.0.1:9/v1', model: 'm' });
    await expect(model.complete([request('x')])).rejects.toMatchObject({ code: 'endpoint-failed' });
  });

  it.each(['', 'localhost', 'ftp://host/v1', 'javascript:alert(1)'])('has an address: %j has none', (url) => {
    expect(() => createOpenAiModel({ url, model: 'm' })).toThrowError(
      expect.objectContaining({ code: 'invalid-argument' }) as Error,
    );
  });

  it('stops at once when asked to, also while it waits', async () => {
    const server = await serveWhile((asked, response) => {
      if (asked.text.includes('busy')) response.writeHead(429, { 'Retry-After': '50' }).end();
    });
    for (const content of ['silent', 'busy']) {
      const controller = new AbortController();
      const reason = new DOMException('enough', 'AbortError');
      const before = server.requests.length;
      const call = modelAt(server).complete([request(content)], controller.signal);
      const outcome = expect(call).rejects.toBe(reason);
      await expect.poll(() => server.requests.length).toBeGreaterThan(before);
      controller.abort(reason);
      await outcome;
    }
  });

  it('gives up the other requests when one fails', async () => {
    const server = await serveWhile((asked, response) => {
      if (asked.text.includes('bad')) response.writeHead(400).end('no');
    });
    const model = modelAt(server, { parallel: 2 });
    await expect(model.complete(['silent', 'bad', 'never'].map((text) => request(text)))).rejects.toThrow(
      '400',
    );
    expect(server.requests).toHaveLength(2);
  });

  it('gets no longer prompt than it can read, cut in the document', async () => {
    const server = await serveWhile((_, response) => say(response, 'ok'));
    const content = `Text: ${'word '.repeat(1000)} Write.`;
    const cuttable = { start: 6, end: content.length - 7 };
    const model = modelAt(server, { contextTokens: 200 });
    const [answer] = await model.complete([
      { messages: [{ role: 'user', content, cuttable }], maxTokens: 50 },
    ]);
    const sent = (JSON.parse(server.requests[0].body) as { messages: { content: string }[] }).messages[0]
      .content;
    expect(sent.startsWith('Text: word')).toBe(true);
    expect(sent.endsWith(' Write.')).toBe(true);
    expect(answer.cut).toBe(content.length - sent.length);
  });

  it('chooses by log probabilities where it gives them', async () => {
    const top_logprobs = [
      { token: ' 3', logprob: Math.log(0.5) },
      { token: '3', logprob: Math.log(0.1) },
      { token: '0', logprob: Math.log(0.2) },
      { token: 'x', logprob: Math.log(0.2) },
    ];
    const server = await serveWhile((_, response) =>
      say(response, '3', { logprobs: { content: [{ top_logprobs }] } }),
    );
    const choice = { messages: [{ role: 'user', content: 'Digit:' }], options: ['0', '1', '3'] } as const;
    const chosen = await modelAt(server, { logprobs: true }).choose?.([choice]);
    expect([...(chosen?.[0].probabilities ?? [])].map((p) => p.toFixed(3))).toEqual([
      '0.250',
      '0.000',
      '0.750',
    ]);
    expect('choose' in modelAt(server)).toBe(false);
  });

  it('says so where it gives none', async () => {
    const server = await serveWhile((_, response) => say(response, '3'));
    const choice = { messages: [], options: ['0', '3'] };
    await expect(modelAt(server, { logprobs: true }).choose?.([choice])).rejects.toMatchObject({
      code: 'endpoint-failed',
    });
  });

  it('is named by address and model, never by key', () => {
    const named = (url: string) => createOpenAiModel({ url, model: 'm', apiKey: 'secret' }).id;
    expect(named('http://host:1/v1')).toBe('openai:http://host:1/v1/#m');
    expect(named('http://host:1/v1?key=secret')).not.toContain('secret');
    expect(named('http://host:1/v1?a=1')).not.toBe(named('http://host:1/v1?a=2'));
  });
});

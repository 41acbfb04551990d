import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { contentHash } from '../../../src/base/hash.ts';
import { createRandom, type Random } from '../../../src/base/random.ts';

interface ChatRequest {
  readonly seed?: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: {
    readonly json_schema?: { readonly schema?: { readonly properties?: object } };
  };
}

/**
 * A server that speaks OpenAI's chat completions and answers by a script: what it says depends on the request alone, so two
 * runs can be compared, and its ledger shows what was asked, how often and in which order.
 */
export interface ScriptedEndpoint {
  readonly url: string;
  /** Hashes of the requests, in order of arrival. */
  readonly ledger: readonly string[];
  close(): Promise<void>;
}

export async function startScriptedEndpoint(): Promise<ScriptedEndpoint> {
  const ledger: string[] = [];
  const server: Server = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*');
    if (request.method !== 'POST') {
      response.writeHead(204).end();
      return;
    }
    void readJson(request).then((body) => {
      ledger.push(contentHash(body));
      const content = JSON.stringify(answer(body as ChatRequest));
      response.setHeader('Content-Type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 100, completion_tokens: 20 },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    ledger,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Fills whichever schema is asked for with words of the prompt. */
function answer(body: ChatRequest): unknown {
  const prompt = body.messages.map((message) => message.content).join('\n');
  const random = createRandom(contentHash([body.messages, body.seed ?? 0]));
  const words = [...new Set(body.messages.at(-1)?.content.match(/[a-z]{5,}/g))];
  const wanted = Object.keys(body.response_format?.json_schema?.schema?.properties ?? {});
  if (wanted.includes('diagnoses')) {
    const diagnoses =
      random.next() < 0.8 ? [{ key: 'key_set', cause: 'Its words are not those of a search.' }] : [];
    return { diagnoses, revision: 'Say it in plain words.' };
  }
  if (wanted.includes('keep'))
    return { keep: [1], revised: [phrase(words, random, 5), phrase(words, random, 7)] };
  if (wanted.includes('scores')) {
    const count = prompt.match(/^\d+: /gm)?.length ?? 0;
    const scores = Array.from({ length: count }, (_, i) => ({
      key: i + 1,
      reason: 'by script',
      score: score(random),
    }));
    return { scores };
  }
  if (wanted.includes('score')) return { score: score(random) };
  if (wanted.includes('problem')) return { problem: phrase(words, random, 12) };
  return { queries: [phrase(words, random, 4), phrase(words, random, 6)] };
}

function score(random: Random): number {
  return random.next() < 0.75 ? 3 : 1;
}

function phrase(words: readonly string[], random: Random, length: number): string {
  return random.shuffle(words).slice(0, length).join(' ');
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fetchGguf } from '../../../src/backbone/wllama/fetch-gguf.ts';
import { serveWhile, type TestServer } from '../fixtures/http-server.ts';

const file = readFileSync(new URL('../../fixtures/models/tiny-llama/tiny.gguf', import.meta.url));
const fetched = ({ url }: TestServer, model = 'a/b.gguf', signal?: AbortSignal) =>
  fetchGguf({ base: `${url}models`, model }, { signal });

describe('fetching a GGUF file', () => {
  it('gives its bytes, its head and its name by content', async () => {
    const server = await serveWhile((_, response) => response.end(file));
    const progress: number[] = [];
    const { blob, head, revision } = await fetchGguf(
      { base: `${server.url}models/`, model: 'a/b.gguf' },
      { onProgress: (loaded) => progress.push(loaded) },
    );
    expect(server.requests.map(({ path }) => path)).toEqual(['/models/a/b.gguf']);
    expect(Buffer.from(await blob.arrayBuffer()).equals(file)).toBe(true);
    expect(head.architecture).toBe('llama');
    expect(revision).toBe(createHash('sha256').update(file).digest('hex').slice(0, 16));
    expect(progress.at(-1)).toBe(file.length);
  });

  it.each([
    ['is missing', 404, {}, 'No', 'model-not-found'],
    ['is refused', 503, {}, 'No', 'model-load-failed'],
    ['is a web page', 200, { 'Content-Type': 'text/html' }, '<!doctype html>', 'model-not-found'],
    ['is a web page that says it is none', 200, {}, '<!doctype html>', 'model-corrupt'],
    ['is empty', 200, {}, '', 'model-corrupt'],
    ['ends in its head', 200, {}, file.subarray(0, 3000), 'model-corrupt'],
    ['ends in its weights', 200, {}, file.subarray(0, 100_000), 'model-corrupt'],
  ] as const)('fails typed where it %s', async (_, status, headers, body, code) => {
    const server = await serveWhile((__, response) => response.writeHead(status, headers).end(body));
    await expect(fetched(server)).rejects.toMatchObject({ code });
  });

  it('fails typed where the connection breaks', async () => {
    const server = await serveWhile((_, response) => {
      response.writeHead(200, { 'Content-Length': file.length });
      response.write(file.subarray(0, 50_000), () => response.destroy());
    });
    await expect(fetched(server)).rejects.toMatchObject({ code: 'model-load-failed' });
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const server = await serveWhile((_, response) => {
      response.write(file.subarray(0, 50_000));
      controller.abort();
    });
    await expect(fetched(server, 'a/b.gguf', controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it.each(['', '../b.gguf', 'b.onnx', 'https://host/b.gguf', 'a//b.gguf', 'b.gguf?x'])(
    'asks nobody for %j',
    async (model) => {
      const server = await serveWhile((_, response) => response.end(file));
      await expect(fetched(server, model)).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(server.requests).toEqual([]);
    },
  );
});

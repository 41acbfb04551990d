import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fetchModelFiles } from '../../../src/embed/model-files.ts';
import { serveWhile } from '../fixtures/http-server.ts';

const files: Readonly<Record<string, string>> = {
  'config.json': '{}',
  'tokenizer.json': '{}',
  'tokenizer_config.json': '{}',
  'onnx/model.onnx': '\u0008weights',
};

const spec = { model: 'some-model', dtype: 'fp32' } as const;

/** A server of `files`, changed by what `answers` say by path. */
async function serverOf(
  answers: Readonly<Record<string, string | ((response: ServerResponse) => void)>> = {},
) {
  return serveWhile((request, response) => {
    const path = request.url?.replace('/models/some-model/', '') ?? '';
    const answer = answers[path] ?? files[path];
    if (answer === undefined) response.writeHead(404).end('no');
    else if (typeof answer === 'function') answer(response);
    else response.setHeader('Content-Length', Buffer.byteLength(answer)).end(answer);
  });
}

describe('the files of a model', () => {
  it('come from its folder, the optional ones where they exist', async () => {
    const server = await serverOf({ '1_Pooling/config.json': '{"pooling_mode_cls_token": true}' });
    let last: [number, number] | undefined;
    const got = await fetchModelFiles(
      { ...spec, base: `${server.url}models` },
      { onProgress: (done, total) => (last = [done, total]) },
    );
    expect([...got.keys()].sort()).toEqual([...Object.keys(files), '1_Pooling/config.json'].sort());
    expect(new TextDecoder().decode(got.get('onnx/model.onnx'))).toBe('\u0008weights');
    const bytes = [...got.values()].reduce((sum, file) => sum + file.length, 0);
    expect(last).toEqual([bytes, bytes]);
    expect(server.requests.every(({ path }) => path.startsWith('/models/some-model/'))).toBe(true);
  });

  it('include the weights that lie apart', async () => {
    const config = JSON.stringify({
      'transformers.js_config': { use_external_data_format: { 'model.onnx': 2 } },
    });
    const server = await serverOf({
      'config.json': config,
      'onnx/model.onnx_data': 'a',
      'onnx/model.onnx_data_1': 'b',
    });
    const got = await fetchModelFiles({ ...spec, base: `${server.url}models/` });
    expect([...got.keys()].filter((path) => path.includes('_data'))).toHaveLength(2);
  });

  it('are only those that the catalogue lists, where it has a copy of the model', async () => {
    const server = await serveWhile(
      (request, response) => void response.end(request.url?.endsWith('.json') ? '{}' : '\u0008'),
    );
    const asked = async (model: string) =>
      [...(await fetchModelFiles({ model, base: server.url })).keys()].sort();
    const needed = ['config.json', 'onnx/model_quantized.onnx', 'tokenizer.json', 'tokenizer_config.json'];
    expect(await asked('all-MiniLM-L6-v2')).toEqual(needed);
    expect(await asked('SmolLM2-135M-Instruct')).toEqual([...needed, 'generation_config.json'].sort());
    expect(server.requests).toHaveLength(9);
  });

  const page = (response: ServerResponse) =>
    void response.setHeader('Content-Type', 'text/html').end('<html></html>');
  const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
  it.each([
    ['a missing configuration', { 'config.json': status(404) }, 'model-not-found'],
    ['missing weights', { 'onnx/model.onnx': status(404) }, 'model-not-found'],
    ['a web page with 200 for the weights', { 'onnx/model.onnx': page }, 'model-not-found'],
    ['a web page that calls itself JSON', { 'tokenizer.json': '\n<!doctype html>' }, 'model-not-found'],
    ['JSON cut off', { 'tokenizer.json': '{"model": {' }, 'model-corrupt'],
    ['JSON of another kind', { 'config.json': '7' }, 'model-corrupt'],
    ['an empty file', { 'onnx/model.onnx': '' }, 'model-corrupt'],
    ['a pointer instead of weights', { 'onnx/model.onnx': 'version https://git-lfs' }, 'model-corrupt'],
    ['a server in trouble', { 'onnx/model.onnx': status(503) }, 'model-load-failed'],
    ['a locked door', { 'config.json': status(403) }, 'model-load-failed'],
    [
      'a line that breaks',
      {
        'onnx/model.onnx': (response: ServerResponse) => {
          response.writeHead(200, { 'Content-Length': 1000 });
          response.write('\u0008', () => response.destroy());
        },
      },
      'model-load-failed',
    ],
  ] as const)('fail typed on %s', async (_, answers, code) => {
    const server = await serverOf(answers);
    const error: unknown = await fetchModelFiles({ ...spec, base: `${server.url}models/` }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({
      code,
      details: { model: 'some-model', url: expect.any(String) as string },
    });
  });

  it('fail typed where nobody is there', async () => {
    await expect(fetchModelFiles({ ...spec, base: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
      code: 'model-load-failed',
    });
  });

  it('do without an optional file that is a web page', async () => {
    const server = await serverOf({ 'modules.json': page, 'generation_config.json': '<html>' });
    const got = await fetchModelFiles({ ...spec, base: `${server.url}models/` });
    expect(got.size).toBe(4);
  });

  it.each(['', '..', '../x', 'a//b', 'a b', '/etc', 'a?b', 'http://elsewhere/x'])(
    'are not looked for under the name %j',
    async (model) => {
      await expect(fetchModelFiles({ ...spec, model, base: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    },
  );

  it('are not waited for after an abort', async () => {
    const reason = new DOMException('enough', 'AbortError');
    const controller = new AbortController();
    const server = await serverOf({ 'onnx/model.onnx': () => controller.abort(reason) });
    const call = fetchModelFiles({ ...spec, base: `${server.url}models/` }, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
  });
});

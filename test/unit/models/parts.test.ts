import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/hash.ts';
import { downloadFile } from '../../../src/models/download.ts';
import { filesOfCopy, modelFilesIn, nameOfGiven } from '../../../src/models/given.ts';
import { MemoryPart } from '../../../src/models/memory-part.ts';
import { inStorage } from '../../../src/models/part-file.ts';
import { Speedometer } from '../../../src/models/speed.ts';
import { kindOf } from '../../../src/models/types.ts';
import { goodBytes } from '../../fixtures/faulty/bytes.ts';
import { faultyFile } from '../../fixtures/faulty/server.ts';
import { serveWhile } from '../fixtures/http-server.ts';

const bytes = goodBytes();
const expected = { size: bytes.length, sha256: sha256Hex(bytes) };

/** As a page asks another origin: nothing conditional, nothing but the body and the plainest headers to be seen. */
const asPage = {
  conditional: false,
  ask: async (url: string, init: RequestInit) => {
    const { status, body, headers } = await fetch(url, init);
    const seen = new Headers();
    for (const name of ['content-type', 'content-length', 'last-modified'])
      if (headers.has(name)) seen.set(name, headers.get(name) ?? '');
    return { response: new Response(status === 416 ? null : body, { status, headers: seen }), declared: {} };
  },
};

describe('the shared downloader', () => {
  it.each([
    ['asking conditionally', {}],
    ['seeing no more than another origin shows', asPage],
  ])('ends right or with a typed error in memory, %s', async (_, how) => {
    const server = await serveWhile(faultyFile('memory'));
    let right = 0;
    for (let run = 0; run < 100; run++) {
      const part = new MemoryPart();
      try {
        const options = { ...how, wait: async () => {}, stallAfter: 60 };
        await downloadFile(`${server.url}a.onnx`, 'a.onnx', part, expected, options);
        expect(sha256Hex(new Uint8Array(await part.blob().arrayBuffer()))).toBe(expected.sha256);
        right++;
      } catch (error) {
        expect(error).toMatchObject({
          code: expect.stringMatching(/^model-(not-found|corrupt|load-failed)$/) as string,
        });
      }
    }
    expect(right).toBeGreaterThan(50);
  });

  it('gives up a server that has it begin again and again', async () => {
    const server = await serveWhile(({ headers: { range } }, response) => {
      if (range) return void response.writeHead(416).end();
      response.setHeader('ETag', '"one"').writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 9000), () => response.destroy());
    });
    const options = { wait: async () => {} };
    await expect(
      downloadFile(`${server.url}a.onnx`, 'a.onnx', new MemoryPart(), expected, options),
    ).rejects.toMatchObject({ code: 'model-load-failed' });
    expect(server.requests.length).toBeLessThan(20);
  });

  it('stops reading what is longer than it may be, and keeps nothing of a page', async () => {
    let sent = 0;
    const server = await serveWhile((_request, response) => {
      response.writeHead(200);
      const more = () => {
        sent++;
        if (!response.destroyed) response.write(bytes, more);
      };
      more();
    });
    const part = new MemoryPart();
    const call = downloadFile(
      `${server.url}a.onnx`,
      'a.onnx',
      part,
      { size: 1000 },
      { wait: async () => {} },
    );
    await expect(call).rejects.toMatchObject({ code: 'model-corrupt' });
    expect(await part.size()).toBe(0);
    expect(sent).toBeLessThan(100);
  });

  it('passes on that there is no room, and keeps what has come', async () => {
    const server = await serveWhile(faultyFile('good', 1));
    const part = new MemoryPart();
    const write = part.write.bind(part);
    part.write = async (start) => {
      const writer = await write(start);
      return {
        ...writer,
        write(chunk) {
          if (part.blob().size > 100_000) throw new DOMException('full', 'QuotaExceededError');
          return writer.write(chunk);
        },
      };
    };
    await expect(downloadFile(`${server.url}a.onnx`, 'a.onnx', part, expected)).rejects.toMatchObject({
      code: 'storage-quota',
    });
    expect(await part.size()).toBeGreaterThan(100_000);
    const disk = inStorage('x', () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })));
    await expect(disk).rejects.toMatchObject({ code: 'storage-quota' });
  });
});

describe('speed', () => {
  it('is that of the last seconds, and says how long the rest takes', () => {
    const speed = new Speedometer(4000);
    expect(speed.bytesPerSecond).toBeUndefined();
    for (let second = 0; second <= 10; second++) speed.mark(second * 1000, second * 1000);
    expect(speed.bytesPerSecond).toBe(1000);
    expect(speed.secondsLeft(15_000)).toBe(5);
    expect(speed.secondsLeft(undefined)).toBeUndefined();
    // Five times as fast from now on: soon nothing else counts.
    for (let second = 11; second <= 15; second++) speed.mark(10_000 + (second - 10) * 5000, second * 1000);
    expect(speed.bytesPerSecond).toBe(5000);
  });

  it('begins anew with a download that begins anew', () => {
    const speed = new Speedometer();
    speed.mark(0, 0);
    speed.mark(5000, 1000);
    speed.mark(0, 2000);
    expect(speed.bytesPerSecond).toBeUndefined();
    speed.mark(100, 3000);
    expect(speed.bytesPerSecond).toBe(100);
  });
});

describe('files that were given', () => {
  const file = new Blob(['x']);
  const given = (...paths: string[]) => paths.map((path) => ({ path, file }));

  it('are those of the model, by their path below its folder', () => {
    const folder = given(
      'models/tiny/config.json',
      'models/tiny/onnx/model.onnx',
      'models/tiny/README.md',
      'models/tiny/manifest.json',
      'models/tiny/.cache/x.json',
    );
    expect(modelFilesIn(folder).map(({ path }) => path)).toEqual(['config.json', 'onnx/model.onnx']);
    expect(nameOfGiven(folder)).toBe('tiny');
  });

  it('keep the folder of the weights, and name a single file’s model', () => {
    expect(modelFilesIn(given('tiny/onnx/model.onnx')).map(({ path }) => path)).toEqual(['onnx/model.onnx']);
    expect(nameOfGiven(given('smol.Q4_K_M.gguf'))).toBe('smol.Q4_K_M');
    expect(nameOfGiven(given('config.json', 'tokenizer.json'))).toBeUndefined();
  });

  it('are those of the catalogue’s copy alone, where it is all there', () => {
    const known = ['a.json', 'b.onnx'].map((path) => ({ path, size: 1, sha256: '' }));
    const whole = given('a.json', 'b.onnx', 'reference.json');
    expect(filesOfCopy(whole, known).map(({ path }) => path)).toEqual(['a.json', 'b.onnx']);
    expect(filesOfCopy(whole.slice(1), known)).toEqual(whole.slice(1));
    expect(filesOfCopy(whole, undefined)).toBe(whole);
  });

  it.each([
    [['a.gguf'], 'gguf'],
    [['mlc-chat-config.json', 'tokenizer.json'], 'webllm'],
    [['onnx/model.onnx', 'generation_config.json'], 'generator'],
    [['onnx/model.onnx', 'config.json'], 'embedder'],
    [['model.safetensors', 'tokenizer.json'], 'static'],
  ] as const)('%j look like the kind %s', (paths, kind) => {
    expect(kindOf(paths)).toBe(kind);
  });

  it('write where the configuration says so', () => {
    const files = ['onnx/model.onnx', 'config.json'];
    expect(kindOf(files, { architectures: ['LlamaForCausalLM'] })).toBe('generator');
    expect(kindOf(files, { architectures: ['BertModel'] })).toBe('embedder');
    expect(kindOf(files, 'nonsense')).toBe('embedder');
  });
});

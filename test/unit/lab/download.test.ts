import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { downloadFile } from '../../../src/lab/models/download.ts';
import { goodBytes } from '../../fixtures/faulty/bytes.ts';
import { faultyFile } from '../../fixtures/faulty/server.ts';
import { serveWhile } from '../fixtures/http-server.ts';

const bytes = Buffer.from(goodBytes());
const sha256 = createHash('sha256').update(bytes).digest('hex');
const expected = { size: bytes.length, sha256 };
const quick = { wait: async () => {}, stallAfter: 300 };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'models-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Answers as a well-behaved server does, ranges included. */
function behave(range: string | undefined, response: ServerResponse, body: Buffer = bytes): void {
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  response.setHeader('ETag', '"one"');
  if (range && from >= body.length)
    response.writeHead(416, { 'Content-Range': `bytes */${body.length}` }).end();
  else if (range)
    response
      .writeHead(206, {
        'Content-Range': `bytes ${from}-${body.length - 1}/${body.length}`,
        'Content-Length': body.length - from,
      })
      .end(body.subarray(from));
  else response.writeHead(200, { 'Content-Length': body.length }).end(body);
}

/** Sends a part of what it promised, then drops the line. */
function cutOff(response: ServerResponse, from: number, length: number): void {
  response.setHeader('ETag', '"one"');
  response.writeHead(from > 0 ? 206 : 200, {
    'Content-Length': bytes.length - from,
    ...(from > 0 && { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
  });
  response.write(bytes.subarray(from, from + length), () => response.destroy());
}

const startOf = (range: string | undefined) => Number(/\d+/.exec(range ?? '')?.[0] ?? 0);

describe('a download', () => {
  it('arrives whole, with its hash', async () => {
    const folder = await newFolder();
    const server = await serveWhile((request, response) => behave(request.headers.range, response));
    const seen: number[] = [];
    const file = await downloadFile(`${server.url}a.onnx`, join(folder, 'x', 'a.onnx'), expected, {
      ...quick,
      onProgress: (done) => seen.push(done),
    });
    expect(file).toEqual({ size: bytes.length, sha256, verified: 'known' });
    expect(bytes.equals(await readFile(join(folder, 'x', 'a.onnx')))).toBe(true);
    expect(await readdir(join(folder, 'x'))).toEqual(['a.onnx']);
    expect(seen.at(-1)).toBe(bytes.length);
  });

  it('goes on where it was cut off, and not from the start', async () => {
    const ranges: (string | undefined)[] = [];
    const server = await serveWhile(({ headers: { range } }, response) => {
      ranges.push(range);
      if (ranges.length < 3) cutOff(response, startOf(range), 100_000);
      else behave(range, response);
    });
    const target = join(await newFolder(), 'a.onnx');
    await downloadFile(`${server.url}a.onnx`, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
    expect(ranges).toEqual([undefined, 'bytes=100000-', 'bytes=200000-']);
  });

  it('is taken up again by a later run, and left alone meanwhile', async () => {
    const target = join(await newFolder(), 'a.onnx');
    let broken = true;
    const server = await serveWhile(({ headers: { range } }, response) => {
      if (!broken) behave(range, response);
      else if (range) response.destroy();
      else cutOff(response, 0, 123_456);
    });
    const url = `${server.url}a.onnx`;
    await expect(downloadFile(url, target, expected, quick)).rejects.toMatchObject({
      code: 'model-load-failed',
    });
    expect(existsSync(target)).toBe(false);
    broken = false;
    await downloadFile(url, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
  });

  it('begins again where the file has changed in the meantime', async () => {
    const target = join(await newFolder(), 'a.onnx');
    let tries = 0;
    const server = await serveWhile(({ headers }, response) => {
      if (++tries === 1) return cutOff(response, 0, 100_000);
      // Another validator than the one asked for: the whole file, not a part.
      expect(headers['if-range']).toBe('"one"');
      response.setHeader('ETag', '"two"').writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
    });
    await downloadFile(`${server.url}a.onnx`, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
  });

  it.each([
    ['a server without ranges', (response: ServerResponse) => response.writeHead(200).end(bytes)],
    ['one that refuses to go on (416)', (response: ServerResponse) => response.writeHead(416).end()],
    [
      'one that sends another part',
      (response: ServerResponse) =>
        response.writeHead(206, { 'Content-Range': `bytes 7-9/${bytes.length}` }).end(bytes.subarray(7, 10)),
    ],
  ])('survives %s', async (_, resume) => {
    let tries = 0;
    const server = await serveWhile(({ headers: { range } }, response) => {
      tries++;
      if (tries === 1) cutOff(response, 0, 50_000);
      else if (range) resume(response);
      else behave(undefined, response);
    });
    const target = join(await newFolder(), 'a.onnx');
    await downloadFile(`${server.url}a.onnx`, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
  });

  it('survives silence', async () => {
    let tries = 0;
    const server = await serveWhile(({ headers: { range } }, response) => {
      if (++tries > 1) return behave(range, response);
      response.setHeader('ETag', '"one"').writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 1000));
    });
    const target = join(await newFolder(), 'a.onnx');
    await downloadFile(`${server.url}a.onnx`, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
  });

  it('waits as long as it is told, within reason', async () => {
    const answers = [['3'], ['86400'], []];
    const server = await serveWhile(({ headers: { range } }, response) => {
      const answer = answers.shift();
      if (!answer) return behave(range, response);
      response.writeHead(429, answer[0] === undefined ? {} : { 'Retry-After': answer[0] }).end();
    });
    const waits: number[] = [];
    const wait = async (milliseconds: number) => waits.push(milliseconds);
    await downloadFile(`${server.url}a.onnx`, join(await newFolder(), 'a.onnx'), expected, { wait });
    expect(waits).toEqual([3000, 60_000, 4000]);
  });

  it.each([
    ['404', 'model-not-found', (response: ServerResponse) => response.writeHead(404).end('no')],
    [
      'a web page with 200',
      'model-not-found',
      (response: ServerResponse) =>
        response.setHeader('Content-Type', 'text/html; charset=utf-8').end('<html>'),
    ],
    ['a page in disguise', 'model-corrupt', (response: ServerResponse) => response.end(' <!doctype html>')],
    ['nothing', 'model-corrupt', (response: ServerResponse) => response.end()],
    [
      'text instead of weights',
      'model-corrupt',
      (response: ServerResponse) => response.end('version https://git-lfs'),
    ],
    ['an endless failure', 'model-load-failed', (response: ServerResponse) => response.writeHead(503).end()],
  ])('fails on %s with %s and leaves no file', async (_, code, answer) => {
    const folder = await newFolder();
    const server = await serveWhile((_request, response) => void answer(response));
    await expect(
      downloadFile(`${server.url}a.onnx`, join(folder, 'a.onnx'), {}, quick),
    ).rejects.toMatchObject({ code });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['hash', { ...expected, sha256: '0'.repeat(64) }],
    ['length', { size: 17 }],
  ])('refuses a wrong %s, after one more try', async (_, wrong) => {
    const folder = await newFolder();
    const server = await serveWhile((request, response) => behave(request.headers.range, response));
    await expect(
      downloadFile(`${server.url}a.onnx`, join(folder, 'a.onnx'), wrong, quick),
    ).rejects.toMatchObject({
      code: 'model-corrupt',
    });
    expect(server.requests).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it('heals a part that was damaged on the disk', async () => {
    const target = join(await newFolder(), 'a.onnx');
    const server = await serveWhile((request, response) => behave(request.headers.range, response));
    const url = `${server.url}a.onnx`;
    await writeFile(`${target}.part`, 'damaged');
    await writeFile(`${target}.part.json`, JSON.stringify({ url, validator: '"one"' }));
    await downloadFile(url, target, expected, quick);
    expect(bytes.equals(await readFile(target))).toBe(true);
  });

  it('holds the bytes against what the hub declares on its way there', async () => {
    const folder = await newFolder();
    let claim = sha256;
    const git = createHash('sha1').update('blob 2\0{}').digest('hex');
    const server = await serveWhile((request, response) => {
      if (request.url === '/cdn') behave(request.headers.range, response);
      else if (request.url === '/small.json')
        response.writeHead(200, { ETag: `"${git}"`, 'X-Repo-Commit': 'abc' }).end('{}');
      else response.writeHead(302, { Location: '/cdn', 'X-Linked-ETag': `"${claim}"` }).end();
    });
    const large = await downloadFile(`${server.url}a.onnx`, join(folder, 'a.onnx'), {}, quick);
    expect(large).toMatchObject({ verified: 'declared' });
    const small = await downloadFile(`${server.url}small.json`, join(folder, 'small.json'), {}, quick);
    expect(small).toMatchObject({ verified: 'declared' });
    claim = 'f'.repeat(64);
    await expect(
      downloadFile(`${server.url}b.onnx`, join(folder, 'b.onnx'), {}, quick),
    ).rejects.toMatchObject({
      code: 'model-corrupt',
    });
  });

  it('says when nothing vouches for the bytes', async () => {
    const server = await serveWhile((request, response) => behave(request.headers.range, response));
    const file = await downloadFile(`${server.url}a.onnx`, join(await newFolder(), 'a.onnx'), {}, quick);
    expect(file.verified).toBe('no');
  });

  it('stops when asked to, and keeps what has come', async () => {
    const target = join(await newFolder(), 'a.onnx');
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const server = await serveWhile((_, response) => {
      response.setHeader('ETag', '"one"').writeHead(200, { 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, 100_000));
    });
    const call = downloadFile(`${server.url}a.onnx`, target, expected, {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(call).rejects.toBe(reason);
    expect(existsSync(target)).toBe(false);
    expect(existsSync(`${target}.part`)).toBe(true);
  });
});

it('ends with the right bytes or a typed error under any mixture of faults', async () => {
  const answer = faultyFile('faults');
  const server = await serveWhile(answer);
  const outcomes = { right: 0, failed: 0 };
  const target = join(await newFolder(), 'a.onnx');
  const options = { wait: async () => {}, stallAfter: 60 };
  for (let run = 0; run < 100; run++) {
    await rm(target, { force: true });
    try {
      await downloadFile(`${server.url}a.onnx`, target, expected, options);
      expect(bytes.equals(await readFile(target))).toBe(true);
      outcomes.right++;
    } catch (error) {
      expect(error).toMatchObject({
        code: expect.stringMatching(/^model-(not-found|corrupt|load-failed)$/) as string,
      });
      expect(existsSync(target)).toBe(false);
      outcomes.failed++;
    }
  }
  expect(outcomes.right).toBeGreaterThan(outcomes.failed);
});

import { describe, expect, it } from 'vitest';
import { SelfIndexError } from '../../../../src/base/errors.ts';
import { cachedEmbedder } from '../../../../src/embed/cached-embedder.ts';
import { chooseDevice } from '../../../../src/embed/devices/choose-device.ts';
import { RecoveringEmbedder } from '../../../../src/embed/devices/recovering-embedder.ts';
import type { DeviceReport, EncoderSpec } from '../../../../src/embed/types.ts';
import { FakeDevices, fingerprint, right, type Compute } from './fake-devices.ts';

const spec: EncoderSpec = { model: 'm', device: 'webgpu' };
const texts = Array.from({ length: 50 }, (_, i) => `text ${'x'.repeat(i)}`);

/** Computes a little differently from the CPU, so that it shows who computed what, and fails at the given text, once or always. */
function failing(at: string, error: Error, always = true): Compute {
  let failed = false;
  return (text) => {
    if (text === at && (always || !failed)) {
      failed = true;
      throw error;
    }
    const [length, first] = right(text);
    return [length, first, 1.5];
  };
}

async function openOn(devices: FakeDevices, asked = spec) {
  const embedder = new RecoveringEmbedder(await chooseDevice(asked, devices), devices);
  const reports: DeviceReport[] = [];
  embedder.onDevice((report) => reports.push(report));
  return { embedder, reports };
}

const lost = new SelfIndexError('device-lost', 'The GPU is gone: driver reset');

describe('an embedder that loses its device', () => {
  it('does the job over on the next one: the result is that of an undisturbed run there, and it is told', async () => {
    const devices = new FakeDevices({
      'wasm/4': {},
      'wasm/1': {},
      webgpu: { compute: failing(texts[30], lost) },
    });
    const { embedder, reports } = await openOn(devices);
    const progress: number[] = [];
    const rows = await embedder.embed(texts, 'passage', { onProgress: (done) => progress.push(done) });
    expect([...rows]).toEqual(texts.flatMap((text) => [...right(text)]));
    // 30 on the GPU; done over, it does not count backwards.
    expect(progress).toEqual(texts.map((_, i) => i + 1));
    expect(reports.at(-1)).toMatchObject({
      device: 'wasm',
      threads: 1,
      how: 'next',
      refused: [
        { device: 'webgpu', reason: 'lost', message: expect.stringContaining('driver reset') as string },
      ],
    });
    expect(embedder.device).toEqual(reports.at(-1));
    expect([...devices.alive]).toEqual(['wasm/1']);
  });

  it('takes the calls that waited with it, and moves on once for all', async () => {
    const devices = new FakeDevices({
      'wasm/4': {},
      'wasm/1': {},
      webgpu: { compute: failing(texts[30], lost) },
    });
    const { embedder } = await openOn(devices);
    const opened = devices.opened.length;
    const all = await Promise.all([
      embedder.embed(texts, 'passage'),
      embedder.embed(texts.slice(20), 'passage'),
      embedder.embed(['query'], 'query'),
    ]);
    expect([...all[0]]).toEqual(texts.flatMap((text) => [...right(text)]));
    expect([...all[1]]).toEqual(texts.slice(20).flatMap((text) => [...right(text)]));
    expect(devices.opened.slice(opened)).toEqual(['wasm/1']);
  });

  it('keeps what a cache above it has stored already: nothing is lost, nothing computed twice', async () => {
    const many = Array.from({ length: 200 }, (_, i) => `passage ${i}`);
    const devices = new FakeDevices({
      'wasm/4': {},
      'wasm/1': {},
      webgpu: { compute: failing(many[150], lost) },
    });
    const { embedder } = await openOn(devices);
    const store = new Map<string, Float32Array>();
    const cached = cachedEmbedder(embedder, {
      get: async (_, hashes) => hashes.map((hash) => store.get(hash)),
      put: async (_, entries) => entries.forEach(({ hash, vector }) => store.set(hash, vector)),
    });
    devices.texts.clear();
    const rows = await cached.embed(many, 'passage');
    expect(store.size).toBe(200);
    expect(cached.device?.device).toBe('wasm');
    // Slices of 64: the first two were stored, the third is all of the CPU.
    expect(devices.texts.get('wasm/1')).toEqual(many.slice(128));
    expect(rows[3 * 127 + 2]).toBe(1.5);
    expect(rows[3 * 128 + 2]).toBe(1);
  });

  it('goes on to the one after that where the next does not open', async () => {
    const devices = new FakeDevices({
      'wasm/4': { milliseconds: 9 },
      'wasm/1': { milliseconds: 8 },
      'wasm/8': { milliseconds: 7, once: true },
      webgpu: { compute: failing(texts[3], lost) },
    });
    const { embedder } = await openOn(devices, { model: 'm', device: 'auto' });
    await embedder.embed(texts, 'passage');
    expect(embedder.device).toMatchObject({ device: 'wasm', threads: 1 });
    expect(embedder.device.refused.map(({ device, threads, reason }) => [device, threads, reason])).toEqual([
      ['webgpu', undefined, 'lost'],
      ['wasm', 8, 'failed'],
    ]);
  });

  it('rejects where a text fails on every device, and still answers the next call', async () => {
    const poison = new SelfIndexError('model-failed', 'cannot read this');
    const compute = failing('poison', poison);
    const devices = new FakeDevices({ 'wasm/4': {}, 'wasm/1': { compute }, webgpu: { compute } });
    const { embedder } = await openOn(devices);
    await expect(embedder.embed(['poison'], 'passage')).rejects.toBe(poison);
    expect(devices.alive.size).toBe(0);
    expect([...(await embedder.embed(['ok'], 'passage'))]).toEqual([2, 111, 1.5]);
    await expect(embedder.embed(['poison'], 'passage')).rejects.toBe(poison);
    expect([...(await embedder.embed(['ok'], 'passage'))]).toEqual([2, 111, 1.5]);
    expect(embedder.device.refused).toHaveLength(2);
  });

  it('never goes on with other files than those it began with', async () => {
    const other = { ...fingerprint, revision: '2' };
    const devices = new FakeDevices({
      'wasm/4': {},
      'wasm/1': { fingerprint: other },
      webgpu: { compute: failing(texts[0], lost) },
    });
    const { embedder } = await openOn(devices);
    await expect(embedder.embed(texts, 'passage')).rejects.toMatchObject({ code: 'model-corrupt' });
    expect(devices.alive.size).toBe(0);
  });

  it('leaves an abort alone, and its device too', async () => {
    const devices = new FakeDevices({ 'wasm/4': {}, webgpu: {} });
    const { embedder, reports } = await openOn(devices);
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const onProgress = (done: number) => done === 10 && controller.abort(reason);
    await expect(embedder.embed(texts, 'passage', { signal: controller.signal, onProgress })).rejects.toBe(
      reason,
    );
    expect(reports).toEqual([]);
    expect([...(await embedder.embed(['ok'], 'query'))]).toEqual([2, 111, 1]);
  });

  it('lets a call go that is stopped while the next device opens; the others wait for it', async () => {
    let open = () => {};
    const opens = new Promise<void>((resolve) => (open = resolve));
    const devices = new FakeDevices({
      'wasm/4': {},
      'wasm/1': { opens },
      webgpu: { compute: failing(texts[3], lost) },
    });
    const { embedder } = await openOn(devices);
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const stopped = embedder.embed(texts, 'passage', { signal: controller.signal });
    const waiting = embedder.embed(texts, 'passage');
    while (!devices.opened.includes('wasm/1')) await Promise.resolve();
    controller.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    open();
    expect([...(await waiting)]).toEqual(texts.flatMap((text) => [...right(text)]));
  });

  it('is over when it is disposed of, also for who waits', async () => {
    const devices = new FakeDevices({ 'wasm/4': {}, webgpu: {} });
    const { embedder } = await openOn(devices);
    const call = embedder.embed(texts, 'passage');
    await Promise.resolve();
    await embedder.dispose();
    await expect(call).rejects.toMatchObject({ code: 'model-not-found' });
    await expect(embedder.embed(['x'], 'query')).rejects.toMatchObject({ code: 'model-not-found' });
    expect(devices.alive.size).toBe(0);
    await embedder.dispose();
  });
});

import { describe, expect, it } from 'vitest';
import { SelfIndexError } from '../../../../src/base/errors.ts';
import { cpuCandidates, fallbacks, plainCpu } from '../../../../src/embed/devices/candidates.ts';
import { chooseDevice } from '../../../../src/embed/devices/choose-device.ts';
import { compareVectors } from '../../../../src/embed/devices/parity.ts';
import { probeTexts, raceTexts } from '../../../../src/embed/devices/probe-texts.ts';
import { timeEmbedder } from '../../../../src/embed/devices/race.ts';
import { FakeDevices, fingerprint, machine, right, type Compute } from './fake-devices.ts';

const model = 'm';

describe('parity', () => {
  const of = (...values: number[]) => Float32Array.from(values);

  it('is the least cosine of all rows, whatever their length', () => {
    // cos = 1 and (3·4 + 4·3) / 25 = .96.
    const parity = compareVectors(of(2, 0, 3, 4), of(1, 0, 4, 3), 2);
    expect(parity.ok).toBe(false);
    expect(parity.leastCosine).toBeCloseTo(0.96, 6);
    expect(parity.fault).toContain('cosine 0.960');
    expect(compareVectors(of(2, 0, 3, 4), of(1, 0, 3, 4.1), 2).ok).toBe(true);
  });

  it.each([
    ['zeros', of(0, 0)],
    ['NaN', of(NaN, 1)],
    ['infinity', of(Infinity, 1)],
    ['too few numbers', of(1)],
    ['nothing', of()],
  ])('is not for %s', (_, found) => {
    expect(compareVectors(found, of(1, 1), 2)).toMatchObject({
      ok: false,
      fault: expect.any(String) as string,
    });
  });
});

describe('candidates', () => {
  it('on the CPU are the usual number of threads, one, and all cores', () => {
    const threads = (cores: number) =>
      cpuCandidates({ model }, { ...machine, cores }).map((choice) => choice.threads);
    expect(threads(8)).toEqual([4, 1, 8]);
    expect(threads(2)).toEqual([1, 2]);
    expect(threads(1)).toEqual([1]);
    expect(threads(64)).toEqual([4, 1, 8]);
  });

  it('are one where the page is not isolated, or the caller names the threads', () => {
    const alone = { ...machine, isolated: false };
    expect(cpuCandidates({ model, threads: 3 }, alone)).toEqual([{ device: 'wasm', threads: 1 }]);
    expect(cpuCandidates({ model, threads: 3 }, machine)).toEqual([{ device: 'wasm', threads: 3 }]);
    expect(plainCpu({ model }, machine)).toEqual({ device: 'wasm', threads: 4 });
  });

  it('to fall back to are other ways to use the CPU, then one thread, and never the one that failed', () => {
    const [gpu, four, one] = [
      { device: 'webgpu' },
      { device: 'wasm', threads: 4 },
      { device: 'wasm', threads: 1 },
    ] as const;
    expect(fallbacks(gpu, [gpu, four])).toEqual([four, one]);
    expect(fallbacks(four, [one, gpu, four])).toEqual([one]);
    expect(fallbacks(one, [])).toEqual([]);
  });
});

describe('a race', () => {
  it('gives texts per second, and spares a hopeless one the most of it', async () => {
    const devices = new FakeDevices({ 'wasm/1': { milliseconds: 10 }, 'wasm/2': { milliseconds: 700 } });
    const fast = await devices.open({ device: 'wasm', threads: 1 });
    expect(await timeEmbedder(fast, devices.clock, 0)).toBe(100);
    const slow = await devices.open({ device: 'wasm', threads: 2 });
    expect(await timeEmbedder(slow, devices.clock, 10)).toBeCloseTo(1000 / 700, 9);
    expect(devices.texts.get('wasm/1')).toHaveLength(2 + raceTexts.length);
    expect(devices.texts.get('wasm/2')).toHaveLength(2);
  });
});

describe('the device of an encoder', () => {
  it('is the CPU unless something else is asked for, with nothing compared', async () => {
    const devices = new FakeDevices({ 'wasm/4': {} });
    const { report, fallbacks: next } = await chooseDevice({ model }, devices);
    expect(report).toEqual({ device: 'wasm', threads: 4, how: 'asked', speeds: [], refused: [] });
    expect(next).toEqual([{ device: 'wasm', threads: 1 }]);
    expect(devices.texts.size).toBe(0);
  });

  it('is the fastest of all for auto; of the others nothing stays open', async () => {
    const devices = new FakeDevices({
      'wasm/4': { milliseconds: 5 },
      'wasm/1': { milliseconds: 9 },
      'wasm/8': { milliseconds: 7 },
      webgpu: { milliseconds: 2 },
    });
    const { report, fallbacks: next } = await chooseDevice({ model, device: 'auto' }, devices);
    expect(report).toMatchObject({ device: 'webgpu', how: 'raced', refused: [] });
    expect(report.speeds.map(({ threads, textsPerSecond }) => [threads, Math.round(textsPerSecond)])).toEqual(
      [
        [undefined, 500],
        [4, 200],
        [8, 143],
        [1, 111],
      ],
    );
    expect(next.map(({ threads }) => threads)).toEqual([4, 8, 1]);
    expect([...devices.alive]).toEqual(['webgpu']);
  });

  it('is not compared with the CPU where it is slower: two texts are enough to know', async () => {
    const devices = new FakeDevices({
      'wasm/4': { milliseconds: 5 },
      'wasm/1': { milliseconds: 9 },
      'wasm/8': { milliseconds: 7 },
      webgpu: { milliseconds: 900, compute: () => [0, 0, 0] },
    });
    const { report } = await chooseDevice({ model, device: 'auto' }, devices);
    expect(report).toMatchObject({ device: 'wasm', threads: 4, how: 'raced', refused: [] });
    expect(report.speeds.at(-1)).toMatchObject({ device: 'webgpu' });
    expect(devices.texts.get('webgpu')).toHaveLength(2);
    expect([...devices.alive]).toEqual(['wasm/4']);
  });

  const wrong: readonly (readonly [string, Compute])[] = [
    ['noise', (text) => [1, -text.length, 0]],
    ['zeros', () => [0, 0, 0]],
    ['NaN', () => [NaN, 1, 1]],
    ['one text of ten wrong', (text) => (text === probeTexts[6] ? [-1, 0, 0] : right(text))],
  ];
  it.each(wrong)('is not one that computes %s, however fast', async (_, compute) => {
    for (const device of ['auto', 'webgpu'] as const) {
      const devices = new FakeDevices({
        'wasm/4': { milliseconds: 50 },
        'wasm/1': { milliseconds: 60 },
        'wasm/8': { milliseconds: 60 },
        webgpu: { milliseconds: 1, compute },
      });
      const { report, embedder } = await chooseDevice({ model, device }, devices);
      expect(report).toMatchObject({ device: 'wasm', threads: 4 });
      expect(report.refused).toMatchObject([{ device: 'webgpu', reason: 'differs' }]);
      expect(report.refused[0].message).toMatch(/^WebGPU gives .*It is not used\.$/);
      expect([...(await embedder.embed(['ab'], 'query'))]).toEqual([2, 97, 1]);
      expect([...devices.alive]).toEqual(['wasm/4']);
      // Known at the next start, without trying it again.
      const before = devices.opened.filter((name) => name === 'webgpu').length;
      const again = await chooseDevice({ model, device }, devices);
      expect(again.report.refused).toEqual(report.refused);
      expect(devices.opened.filter((name) => name === 'webgpu')).toHaveLength(before);
    }
  });

  it('takes a device that is named without a race, once it gives the vectors of the CPU', async () => {
    const devices = new FakeDevices({ 'wasm/4': { milliseconds: 1 }, webgpu: { milliseconds: 100 } });
    const { report } = await chooseDevice({ model, device: 'webgpu' }, devices);
    expect(report).toEqual({ device: 'webgpu', how: 'asked', speeds: [], refused: [] });
    expect([...devices.alive]).toEqual(['webgpu']);
    expect(devices.texts.get('wasm/4')).toEqual([...probeTexts]);
  });

  it('is compared with the kept vectors at the next start: the CPU is not asked', async () => {
    let compute = right;
    const devices = new FakeDevices({ 'wasm/4': {}, webgpu: { compute: (text) => compute(text) } });
    const spec = { model, device: 'webgpu' } as const;
    const first = await chooseDevice(spec, devices);
    await first.embedder.dispose();
    const opened = devices.opened.length;
    const second = await chooseDevice(spec, devices);
    expect(devices.opened.slice(opened)).toEqual(['webgpu']);
    expect(second.report.device).toBe('webgpu');
    await second.embedder.dispose();
    // A driver that has since gone wrong is noticed.
    compute = () => [0, 0, 1];
    const { report } = await chooseDevice(spec, devices);
    expect(report).toMatchObject({ device: 'wasm', how: 'next', refused: [{ reason: 'differs' }] });
  });

  it('remembers who won, for this model on this machine alone', async () => {
    const devices = new FakeDevices({
      'wasm/4': { milliseconds: 5 },
      'wasm/1': { milliseconds: 2 },
      'wasm/8': { milliseconds: 9 },
    });
    devices.machine = { ...machine, webgpu: { available: false, f16: false } };
    const spec = { model, device: 'auto' } as const;
    const raced = await chooseDevice(spec, devices);
    expect(raced.report).toMatchObject({ threads: 1, how: 'raced' });
    const opened = devices.opened.length;
    const { report } = await chooseDevice(spec, devices);
    expect(report).toMatchObject({ threads: 1, how: 'remembered', speeds: raced.report.speeds });
    expect(devices.opened.slice(opened)).toEqual(['wasm/1']);
    devices.machine = { ...devices.machine, browser: 'a later release' };
    expect((await chooseDevice(spec, devices)).report.how).toBe('raced');
    const other = new FakeDevices({
      'wasm/4': { fingerprint: { ...fingerprint, revision: '2' } },
      'wasm/1': { fingerprint: { ...fingerprint, revision: '2' }, milliseconds: 9 },
    });
    other.machine = devices.machine;
    Object.assign(other, { memory: devices.memory });
    const anew = await chooseDevice(spec, other);
    expect(anew.report).toMatchObject({ threads: 4, how: 'raced' });
    expect([...other.alive]).toEqual(['wasm/4']);
  });

  it('says in a typed way that there is no adapter, or none for half precision', async () => {
    const devices = new FakeDevices({ 'wasm/4': {} });
    devices.machine = { ...machine, webgpu: { available: false, f16: false } };
    const { report } = await chooseDevice({ model, device: 'webgpu' }, devices);
    expect(report).toMatchObject({ device: 'wasm', how: 'next', refused: [{ reason: 'no-adapter' }] });
    expect((await chooseDevice({ model, device: 'webgpu' }, devices)).report).toEqual(report);
    devices.machine = machine;
    const half = await chooseDevice({ model, device: 'webgpu', dtype: 'fp16' }, devices);
    expect(half.report.refused).toMatchObject([{ reason: 'no-half-precision' }]);
    expect(devices.opened).toEqual(['wasm/4', 'wasm/4', 'wasm/4']);
  });

  it('falls to the CPU where the GPU cannot be started, and tries it again next time', async () => {
    const broken = new SelfIndexError('model-load-failed', 'out of luck');
    const devices = new FakeDevices({ 'wasm/4': {}, webgpu: { broken } });
    const spec = { model, device: 'webgpu' } as const;
    const { report } = await chooseDevice(spec, devices);
    expect(report.refused).toMatchObject([
      { reason: 'failed', message: expect.stringContaining('luck') as string },
    ]);
    await chooseDevice(spec, devices);
    expect(devices.opened.filter((name) => name === 'webgpu').length).toBeGreaterThan(1);
  });

  it('leaves nothing open after an abort, or where no device runs the model', async () => {
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const devices = new FakeDevices({
      'wasm/4': {},
      webgpu: {
        compute: (text) => {
          controller.abort(reason);
          return right(text);
        },
      },
    });
    const call = chooseDevice({ model, device: 'webgpu' }, devices, controller.signal);
    await expect(call).rejects.toBe(reason);
    expect(devices.alive.size).toBe(0);

    const none = new FakeDevices({});
    none.machine = { ...machine, webgpu: { available: false, f16: false } };
    await expect(chooseDevice({ model }, none)).rejects.toMatchObject({ code: 'model-load-failed' });
    await expect(chooseDevice({ model, device: 'webgpu' }, none)).rejects.toMatchObject({
      code: 'device-unsupported',
      details: { reason: 'no-adapter' },
    });
  });

  it('does not blame a device for a model that is missing', async () => {
    const missing = new SelfIndexError('model-not-found', 'no such model');
    const devices = new FakeDevices({ 'wasm/4': { broken: missing }, webgpu: { broken: missing } });
    await expect(chooseDevice({ model, device: 'auto' }, devices)).rejects.toBe(missing);
  });
});

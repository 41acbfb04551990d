import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { keptDeviceMemory } from '../../../src/embed/browser/device-memory.ts';
import { describeMachine } from '../../../src/embed/browser/machine.ts';
import { shortMemory, type DeviceMemory } from '../../../src/embed/devices/device-memory.ts';
import { loadEncoder } from '../../../src/embed/devices/load-encoder.ts';
import type { DeviceReport, Embedder, EncoderSpec } from '../../../src/embed/types.ts';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import { dot, embedderWorker } from '../fixtures/models.ts';

const spec = { model: 'tiny-embedder', base: '/test/fixtures/models/', dtype: 'fp32' } as const;
const width = 32;
/** See faulty-runtime.ts, which only a worker may import. */
const losesGpu = 'lose the GPU';
const texts = Array.from({ length: 70 }, (_, i) => `the cat sat on mat ${i}`);

/** In this page, with runtimes that can be made to fail; the workers that were started, in that order. */
async function load(
  asked: Partial<EncoderSpec>,
  { memory = shortMemory(), scrambles = false }: { memory?: DeviceMemory; scrambles?: boolean } = {},
) {
  const workers: Worker[] = [];
  const startRuntime = () => {
    const worker = scrambles
      ? new Worker(new URL('../fixtures/scrambling-runtime.worker.ts', import.meta.url), { type: 'module' })
      : new Worker(new URL('../fixtures/losing-runtime.worker.ts', import.meta.url), { type: 'module' });
    workers.push(worker);
    return worker;
  };
  const embedder = await loadEncoder({ ...spec, ...asked }, { startRuntime, memory });
  onTestFinished(() => embedder.dispose());
  return { embedder, workers };
}

/** Vectors of the CPU with one thread. */
async function onCpu(some: readonly string[]): Promise<Float32Array> {
  const { embedder } = await load({ device: 'wasm', threads: 1 });
  return embedder.embed(some, 'passage');
}

function leastCosine(a: Float32Array, b: Float32Array): number {
  let least = 1;
  for (let i = 0; i < a.length; i += width)
    least = Math.min(least, dot(a.subarray(i, i + width), b.subarray(i, i + width)));
  return least;
}

const reportOf = (embedder: Embedder) => embedder.device as DeviceReport;

afterEach(() => vi.restoreAllMocks());

describe('the device of an encoder in a browser', () => {
  it('is what wins a race, and is remembered for the next start', async () => {
    const name = `test-devices-${crypto.randomUUID()}`;
    onTestFinished(() => void indexedDB.deleteDatabase(name));
    const first = await load({ device: 'auto' }, { memory: keptDeviceMemory(name) });
    const report = reportOf(first.embedder);
    const { webgpu, cores } = await describeMachine();
    expect(webgpu.available).toBe(true);
    expect(report).toMatchObject({ how: 'raced', refused: [] });
    expect(report.speeds.filter(({ device }) => device === 'webgpu')).toHaveLength(1);
    expect(report.speeds.filter(({ device }) => device === 'wasm')).toHaveLength(cores === 1 ? 1 : 2);
    expect(report.speeds[0]).toMatchObject({ device: report.device });
    expect(leastCosine(await first.embedder.embed(texts, 'passage'), await onCpu(texts))).toBeGreaterThan(
      0.9999,
    );

    const second = await load({ device: 'auto' }, { memory: keptDeviceMemory(name) });
    expect(reportOf(second.embedder)).toMatchObject({
      how: 'remembered',
      device: report.device,
      speeds: report.speeds,
    });
    expect(second.workers).toHaveLength(1);
  });

  it('is told across the worker boundary', async () => {
    const embedder = await connectEmbedder(embedderWorker(), { ...spec, device: 'webgpu' });
    expect(embedder.device).toMatchObject({ device: 'webgpu', how: 'asked', refused: [] });
    expect(leastCosine(await embedder.embed(texts, 'passage'), await onCpu(texts))).toBeGreaterThan(0.9999);
  });

  it('is not a GPU that gives other vectors than the CPU', async () => {
    const { embedder } = await load({ device: 'webgpu' }, { scrambles: true });
    expect(reportOf(embedder)).toMatchObject({
      device: 'wasm',
      how: 'next',
      refused: [{ device: 'webgpu', reason: 'differs' }],
    });
    expect(reportOf(embedder).refused[0].leastCosine).toBeLessThan(0.98);
    expect(leastCosine(await embedder.embed(texts, 'passage'), await onCpu(texts))).toBeGreaterThan(0.9999);
  });

  it('is the CPU where there is no adapter, and says so', async () => {
    vi.spyOn(navigator.gpu, 'requestAdapter').mockRejectedValue(new Error('Failed to get GPU adapter'));
    const { embedder } = await load({ device: 'webgpu' });
    expect(reportOf(embedder)).toMatchObject({ device: 'wasm', refused: [{ reason: 'no-adapter' }] });
    expect(await embedder.embed(['cat'], 'query')).toHaveLength(width);
  });
});

describe('an encoder whose device goes away in the middle of a job', () => {
  it('finishes it on the CPU when the GPU is lost, as if it had begun there, and says so', async () => {
    const { embedder } = await load({ device: 'webgpu' });
    expect(reportOf(embedder).device).toBe('webgpu');
    const reports: DeviceReport[] = [];
    embedder.onDevice?.((report) => reports.push(report));
    const job = [...texts, losesGpu];
    const progress: number[] = [];
    const rows = await embedder.embed(job, 'passage', { onProgress: (done) => progress.push(done) });
    expect(rows).toEqual(await onCpu(job));
    expect(progress[0]).toBeGreaterThan(1);
    expect(progress.at(-1)).toBe(job.length);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(reports.at(-1)).toMatchObject({
      device: 'wasm',
      how: 'next',
      refused: [{ device: 'webgpu', reason: 'lost' }],
    });
    expect(await embedder.embed(['cat'], 'query')).toHaveLength(width);
  });

  it('finishes it when the worker of the runtime dies', async () => {
    const { embedder, workers } = await load({ device: 'wasm', threads: 2 });
    const rows = await embedder.embed(texts, 'passage', {
      onProgress: (done) => {
        if (done === 20) workers[0].terminate();
      },
    });
    expect(rows).toEqual(await onCpu(texts));
    expect(workers).toHaveLength(2);
    expect(reportOf(embedder)).toMatchObject({
      threads: 1,
      refused: [{ device: 'wasm', threads: 2, reason: 'lost' }],
    });
  });
});

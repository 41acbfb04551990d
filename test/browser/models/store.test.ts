import { afterEach, describe, expect, it } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { sha256Hex } from '../../../src/base/hash.ts';
import { connectEmbedder } from '../../../src/embed/worker-embedder.ts';
import { ModelStore } from '../../../src/models/browser/connect-models.ts';
import { listKept, openKept } from '../../../src/models/browser/kept.ts';
import { readKept } from '../../../src/models/browser/read-kept.ts';
import { SessionModels } from '../../../src/models/browser/session.ts';
import type { Plan } from '../../../src/models/plan.ts';
import type { ModelRequest } from '../../../src/models/source.ts';
import { openPort } from '../../../src/base/rpc.ts';
import { dot, embedderWorker, modelsWorker } from '../fixtures/models.ts';
import { goodBytes } from '../../fixtures/faulty/bytes.ts';

const bytes = goodBytes();
const right = sha256Hex(bytes);
const known = [{ path: 'onnx/model.onnx', size: bytes.length, sha256: right }];

/** A model of one file, at the faulty server. */
function oneFile(id: string, seed: string): Plan {
  return {
    id,
    source: { kind: 'address', base: `/faulty/${seed}/` },
    files: [{ ...known[0], by: 'known', url: `/faulty/${seed}/onnx/model.onnx` }],
  };
}

/** With waits and silences cut short. */
async function openStore(): Promise<ModelStore> {
  const store = new ModelStore(modelsWorker());
  await store.configure({ stallAfter: 150, longestWait: 0 });
  return store;
}

/** Names the bytes: to compare them one by one takes a second. */
async function keptHash(id: string): Promise<string | undefined> {
  const kept = await openKept(id);
  const bytes = kept && (await readKept(kept, known[0].path));
  return bytes && sha256Hex(bytes);
}

/** Changes a byte of a kept file where it lies. */
async function damage(id: string, path: string): Promise<void> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('self-index-models');
  const place = await root.getDirectoryHandle(encodeURIComponent(id));
  const { folder } = JSON.parse(
    await (await (await place.getFileHandle('manifest.json')).getFile()).text(),
  ) as {
    folder: string;
  };
  const files = await (await place.getDirectoryHandle(folder)).getDirectoryHandle('files');
  const file = await files.getFileHandle(encodeURIComponent(path));
  const writable = await file.createWritable({ keepExistingData: true });
  await writable.write({ type: 'write', position: 7, data: new Uint8Array([255, 254]) });
  await writable.close();
}

afterEach(async () => {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry('self-index-models', { recursive: true }).catch(() => {});
});

it('keeps the right bytes or throws a typed error under 100 mixtures of faults, and is never poisoned', async () => {
  const store = await openStore();
  const outcomes = { right: 0, failed: 0 };
  for (let run = 0; run < 100; run++) {
    const plan = oneFile(`model-${run % 10}`, `run-${run}`);
    const before = await keptHash(plan.id);
    try {
      await store.install(plan);
      expect(await keptHash(plan.id)).toBe(right);
      outcomes.right++;
    } catch (error) {
      expect(error).toBeInstanceOf(SelfIndexError);
      expect((error as SelfIndexError).code).toMatch(/^model-(not-found|corrupt|load-failed)$/);
      // What was kept before is untouched; where nothing was, nothing is.
      expect(await keptHash(plan.id)).toBe(before);
      outcomes.failed++;
    }
  }
  expect(outcomes.right).toBeGreaterThan(outcomes.failed);
  expect(outcomes.failed).toBeGreaterThan(0);
  // What is left of failures does no harm either.
  for (const { plan } of (await store.list()).unfinished) {
    await store.install(oneFile(plan.id, 'good'));
    expect(await keptHash(plan.id)).toBe(right);
  }
  expect((await store.list()).unfinished).toEqual([]);
});

describe('a download', () => {
  it('goes on where a killed worker left it', async () => {
    const worker = modelsWorker();
    const first = new ModelStore(worker);
    const plan = oneFile('killed', 'halt-killed');
    await new Promise<void>((resolve, reject) => {
      const onProgress = ({ done }: { readonly done: number }) => done === 200_000 && resolve();
      first.install(plan, { onProgress }).catch(reject);
    }).catch(() => {});
    worker.terminate();
    const store = await openStore();
    await expect
      .poll(async () => (await store.list()).unfinished)
      .toEqual([{ plan, done: 200_000, total: 300_000 }]);
    expect(await openKept('killed')).toBeUndefined();
    await expect
      .poll(() =>
        store.install(plan).then(
          () => 'done',
          (error: SelfIndexError) => error.code,
        ),
      )
      .toBe('done');
    expect(await keptHash('killed')).toBe(right);
    expect(await (await fetch('/faulty/asked/halt-killed')).json()).toEqual(['', 'bytes=200000-']);
  });

  it('can be paused, gone on with, and discarded', async () => {
    const store = await openStore();
    await store.configure({ stallAfter: 20_000 });
    const plan = oneFile('paused', 'halt-paused');
    const controller = new AbortController();
    const reason = new DOMException('later', 'AbortError');
    const onProgress = ({ done }: { readonly done: number }) => done === 200_000 && controller.abort(reason);
    await expect(store.install(plan, { signal: controller.signal, onProgress })).rejects.toBe(reason);
    expect((await store.list()).unfinished).toMatchObject([{ done: 200_000 }]);
    await store.discard('paused');
    expect(await store.list()).toEqual({ kept: [], unfinished: [] });
    await store.install(plan);
    expect(await keptHash('paused')).toBe(right);
  });

  it('of the same model in another tab is refused by name', async () => {
    const [one, two] = [await openStore(), await openStore()];
    await one.configure({ stallAfter: 20_000 });
    const controller = new AbortController();
    const plan = oneFile('busy', 'halt-busy');
    const first = one.install(plan, {
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done < 200_000) return;
        void two.install(plan).catch((error: unknown) => controller.abort(error));
      },
    });
    await expect(first).rejects.toMatchObject({ code: 'model-busy' });
  });
});

describe('a kept model', () => {
  const base = new URL('/test/fixtures/models/tiny-embedder/', location.href).href;
  const request: ModelRequest = {
    id: 'someone/kept-tiny',
    source: { kind: 'address', base },
    paths: ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model.onnx'],
  };

  it('is found before any server, and is the same model', async () => {
    const store = await openStore();
    const plan = await store.plan(request);
    const { manifest } = await store.install(plan);
    expect(manifest).toMatchObject({ id: 'someone/kept-tiny', kind: 'embedder' });
    const asked = { model: 'tiny-embedder', base: '/test/fixtures/models/', dtype: 'fp32' } as const;
    const served = await connectEmbedder(openPort(embedderWorker()), asked);
    // Nothing of this name is served.
    const kept = await connectEmbedder(openPort(embedderWorker()), {
      model: 'someone/kept-tiny',
      dtype: 'fp32',
    });
    const [a, b] = [await served.embed(['a b'], 'query'), await kept.embed(['a b'], 'query')];
    expect(dot(a, b)).toBeCloseTo(1, 6);
    expect(kept.fingerprint.revision).toBe(served.fingerprint.revision);
  });

  it('that is damaged says so, is repaired, and goes when it is deleted', async () => {
    const store = await openStore();
    await store.install(await store.plan(request));
    expect(await store.verify('someone/kept-tiny')).toEqual([]);
    await damage('someone/kept-tiny', 'tokenizer.json');
    expect(await store.verify('someone/kept-tiny')).toEqual(['tokenizer.json']);
    await expect(
      connectEmbedder(openPort(embedderWorker()), { model: 'someone/kept-tiny', dtype: 'fp32' }),
    ).rejects.toMatchObject({ code: 'model-corrupt' });
    await store.repair('someone/kept-tiny');
    expect(await store.verify('someone/kept-tiny')).toEqual([]);
    await store.remove('someone/kept-tiny');
    expect(await listKept()).toEqual([]);
  });

  it('is repaired by fetching nothing but what is broken', async () => {
    const store = await openStore();
    const { files, ...plan } = oneFile('two-files', 'halt-repair');
    const two = ['onnx/model.onnx', 'onnx/other.onnx'].map((path) => ({ ...files[0], path }));
    await store.install({ ...plan, files: two });
    const asked = async () => (await (await fetch('/faulty/asked/halt-repair')).json()) as string[];
    const before = await asked();
    await damage('two-files', 'onnx/other.onnx');
    await store.repair('two-files');
    expect(await store.verify('two-files')).toEqual([]);
    expect(await asked()).toEqual([...before, '']);
  });

  it('comes from files that were given, held against what the catalogue knows', async () => {
    const store = await openStore();
    const given = (data: Uint8Array<ArrayBuffer>) => ({
      id: 'given',
      from: 'a folder',
      files: [{ path: 'onnx/model.onnx', file: new Blob([data]) }],
    });
    const other = bytes.with(9, 1);
    await expect(store.import({ ...given(other), known })).rejects.toMatchObject({ code: 'model-corrupt' });
    expect(await listKept()).toEqual([]);
    const { manifest } = await store.import({ ...given(bytes), known });
    expect(manifest.files).toEqual([{ ...known[0], verified: 'known' }]);
    await expect(store.import(given(new Uint8Array([60, 33])))).rejects.toMatchObject({
      code: 'model-corrupt',
    });
    expect(await keptHash('given')).toBe(right);
    const unverified = await store.import({ ...given(other), known, unverified: true });
    expect(unverified.manifest.files).toMatchObject([{ verified: 'no' }]);
    expect(await keptHash('given')).toBe(sha256Hex(other));
    await expect(store.repair('given')).rejects.toMatchObject({ code: 'model-not-found' });
  });

  it('held in memory is found by everyone until it is let go', async () => {
    const holder = new SessionModels();
    const manifest = (
      await (
        await openStore()
      ).import({
        id: 'held',
        from: 'a folder',
        files: [{ path: 'onnx/model.onnx', file: new Blob([bytes]) }],
      })
    ).manifest;
    await (await navigator.storage.getDirectory()).removeEntry('self-index-models', { recursive: true });
    await holder.hold({ manifest, files: new Map([['onnx/model.onnx', new Blob([bytes])]]) });
    expect(await listKept()).toEqual([{ manifest, session: true }]);
    expect(await keptHash('held')).toBe(right);
    holder.release('held');
    await expect.poll(() => openKept('held')).toBeUndefined();
  });
});

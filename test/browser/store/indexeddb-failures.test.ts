import { deleteDB, openDB, type IDBPDatabase } from 'idb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cdp } from 'vitest/browser';
import { openIndexedDbStore } from '../../../src/store/indexeddb.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { migrations, type Migration } from '../../../src/store/indexeddb-schema.ts';
import {
  commitOf,
  contentOf,
  documents,
  fill,
  generated,
  query,
  runRecord,
} from '../../unit/store/samples.ts';
import { bornPerCommit } from './committer.worker.ts';
import { otherTab } from './other-tab.ts';

const nextMigration: Migration = (database) => {
  database.createObjectStore('extras' as never);
};
const future = [...migrations, nextMigration];
let made = 0;
let name = '';
const fresh = () => (name = `failures ${Date.now()} ${made++}`);
const databaseName = () => `self-index/${name}`;
const names = async () => (await indexedDB.databases()).map((database) => database.name);

afterEach(() => deleteDB(databaseName()));

describe('other tabs', () => {
  it("see each other's changes", async () => {
    const one = await openIndexedDbStore(fresh());
    const two = await openIndexedDbStore(name);
    await fill(one);
    expect(await contentOf(two)).toEqual(await contentOf(one));
    await two.vectors.put('minilm', [{ hash: 'v3', vector: Float32Array.of(1, 0, 0) }]);
    expect(await one.vectors.get('minilm', ['v3', 'v1'])).toEqual([
      Float32Array.of(1, 0, 0),
      Float32Array.of(Math.fround(0.6), Math.fround(0.8), 0),
    ]);

    const file = await one.export();
    await two.import(file);
    expect(await one.vectors.get('minilm', ['v3', 'v1'])).toEqual([undefined, undefined]);
    await one.vectors.put('minilm', [{ hash: 'v1', vector: Float32Array.of(0, 1) }]);
    expect(await two.vectors.get('minilm', ['v1', 'v2'])).toEqual([Float32Array.of(0, 1), undefined]);
    await Promise.all([one.close(), two.close()]);
  });

  it('commit one after the other: the late one is told of the conflict', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openIndexedDbStore(name || fresh())));
    await stores[0].putDocuments(documents);
    const outcomes = await Promise.allSettled(
      stores.map((store, i) => store.commit(commitOf(1, { born: [generated('tea', `from ${i}`)] }))),
    );
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(failed.map(({ reason }) => (reason as { code: string }).code)).toEqual(
      Array(2).fill('version-conflict'),
    );
    expect(await stores[0].keys()).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('may upgrade: this one gives way, and then says that it is too old', async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    const newer = await openIndexedDbStore(name, { migrations: future });
    expect(await newer.documents()).toHaveLength(3);
    expect(await newer.currentVersion()).toBe(2);
    await expect(store.documents()).rejects.toMatchObject({ code: 'storage-newer' });
    await expect(openIndexedDbStore(name)).rejects.toMatchObject({ code: 'storage-newer' });
    await newer.close();
  });

  it('may delete the index: it does not come back by itself', async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    await (await openIndexedDbStore(name)).destroy();
    await expect(store.documents()).rejects.toMatchObject({
      code: 'storage-closed',
      message: expect.stringContaining('deleted in another tab') as string,
    });
    expect(await names()).not.toContain(databaseName());
  });

  it('that do not give way block an upgrade or a deletion for a while only', async () => {
    await (await openIndexedDbStore(fresh())).close();
    const stubborn = await openDB(databaseName());
    const impatient = { migrations: future, patience: 20 };
    await expect(openIndexedDbStore(name, impatient)).rejects.toMatchObject({ code: 'storage-blocked' });
    const upgrading = openIndexedDbStore(name, { migrations: future });
    stubborn.close();
    const store = await upgrading;
    expect(await store.currentVersion()).toBe(0);

    const again = await openDB(databaseName());
    const victim = await openIndexedDbStore(name, impatient);
    await expect(victim.destroy()).rejects.toMatchObject({ code: 'storage-blocked' });
    again.close();
    await vi.waitFor(async () => expect(await names()).not.toContain(databaseName()));
  });
});

describe('a lost connection', () => {
  /** The store's own connection, caught in the act. */
  async function connectionOf(use: () => Promise<unknown>): Promise<IDBDatabase> {
    const spy = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await use();
    const database = spy.mock.contexts[0] as IDBDatabase;
    spy.mockRestore();
    return database;
  }

  it('is opened again: reads and commits go through', async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    const before = await contentOf(store);
    const first = await connectionOf(() => store.documents());
    first.close(); // from here on the browser says «The database connection is closing»
    expect(() => first.transaction('documents')).toThrow('closing');
    const parts = await Promise.all([store.documents(), store.keys(), store.versions()]);
    expect(parts).toEqual([before.documents, before.keys, before.versions]);

    const second = await connectionOf(() => store.documents());
    expect(second).not.toBe(first);
    second.close();
    await store.commit(commitOf(3, { queries: [query('new')] }));
    expect(await store.currentVersion()).toBe(3);
    await store.close();
  });

  it('is opened again after the browser ended it', async () => {
    const store = await openIndexedDbStore(fresh());
    const database = await connectionOf(() => store.putDocuments(documents));
    database.dispatchEvent(new Event('close'));
    expect(await store.documents()).toHaveLength(3);
    expect(await connectionOf(() => store.documents())).not.toBe(database);
    await store.close();
  });

  it('is given up after one more try', async () => {
    const store = await openIndexedDbStore(fresh());
    const spy = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new DOMException('Connection to Indexed Database server lost.', 'UnknownError');
    });
    await expect(store.documents()).rejects.toMatchObject({
      code: 'storage-failed',
      message: expect.stringContaining('server lost') as string,
    });
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockRestore();
    expect(await store.documents()).toEqual([]);
    await store.close();
  });

  // Again and again: what is under way when the data go is another thing each time.
  it('with its data gone says so, and makes nothing in their place', { repeats: 20 }, async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    await cdp().send('Storage.clearDataForOrigin', { origin: location.origin, storageTypes: 'indexeddb' });
    for (let i = 0; i < 2; i++) {
      await expect(store.documents()).rejects.toMatchObject({
        code: 'storage-failed',
        details: { lost: true },
      });
    }
    expect(await names()).not.toContain(databaseName());
    await store.close();
    const anew = await openIndexedDbStore(name);
    expect(await anew.currentVersion()).toBe(0);
    await anew.close();
  });
});

describe('no room', () => {
  const origin = location.origin;
  const setQuota = (quotaSize?: number) =>
    cdp().send('Storage.overrideQuotaForOrigin', { origin, quotaSize });
  const noise = (i: number) =>
    Array.from(crypto.getRandomValues(new Uint32Array(16_000)), String).join(`-${i}`);
  afterEach(() => setQuota());

  it('fails the whole change, says what to do, and leaves the last version readable', async () => {
    // Chromium remembers for half a minute how much room there was, unless nothing of the origin is open
    await cdp().send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    await setQuota(2_000_000);
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    const before = await contentOf(store);
    const born = Array.from({ length: 30 }, (_, i) => generated('tea', noise(i), 3));
    const large = commitOf(3, {
      born,
      died: before.keys.filter(({ died }) => died === null).map(({ id }) => id),
      queries: [query('q3')],
      run: runRecord({ status: 'finished' }),
    });
    const twin = createMemoryStore('twin');
    await fill(twin);
    await twin.commit(large);

    const attempts = [
      () => store.commit(large),
      () => store.putDocuments(born.map(({ text }, i) => ({ id: i ? `d${i}` : 'tea', text }))),
      () =>
        store.vectors.put('large', [{ hash: 'v9', vector: new Float32Array(1_000_000).map(Math.random) }]),
      () => store.answers.put(born.map(({ id, text }) => ({ hash: id, answer: text }))),
      async () => store.import(await twin.export()),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'storage-quota',
        message: expect.stringContaining('Free room') as string,
      });
      expect(await contentOf(store)).toEqual(before);
    }
    expect((await store.export()).size).toBeGreaterThan(0);

    await setQuota();
    await store.commit(large);
    expect(await store.currentVersion()).toBe(3);
    expect(await store.vectors.get('large', ['v9'])).toEqual([undefined]);
    await store.close();
  });
});

describe('a killed tab', () => {
  it('leaves a whole version, whenever it dies', async () => {
    const store = await openIndexedDbStore(fresh());
    await store.putDocuments(documents);
    await store.close();
    let last = 0;
    for (let round = 0; round < 12; round++) {
      const other = otherTab();
      await other.tell('commit forever', name);
      for (let i = 0; i < round % 3; i++) await other.next();
      await new Promise((resolve) => setTimeout(resolve, round * 3));
      other.kill();

      const next = await openIndexedDbStore(name);
      const version = await next.currentVersion();
      const keys = await next.keys();
      expect(version).toBeGreaterThanOrEqual(last);
      expect(await next.versions()).toHaveLength(version + 1);
      expect(keys).toHaveLength(version * bornPerCommit);
      expect(keys.every(({ born }) => born <= version)).toBe(true);
      expect((await next.queries()).map(({ id }) => id)).toEqual(
        Array.from({ length: version }, (_, i) => `q${i + 1}`),
      );
      await next.close();
      last = version;
    }
    expect(last).toBeGreaterThan(0);
  });
});

describe('the schema', () => {
  it('is migrated step by step, the data kept', async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    const before = await contentOf(store);
    await store.close();
    const steps: number[] = [];
    const later: Migration[] = [
      ...future,
      (database, transaction) => {
        steps.push(database.objectStoreNames.length);
        transaction.objectStore('documents').createIndex('source' as never, 'source.name');
      },
    ];
    const newer = await openIndexedDbStore(name, { migrations: later });
    expect(steps).toEqual([14]);
    expect(await contentOf(newer)).toEqual(before);
    await newer.close();
  });

  it('stays as it was where a migration fails', async () => {
    const store = await openIndexedDbStore(fresh());
    await fill(store);
    await store.close();
    const broken: Migration = (database) => {
      database.deleteObjectStore('documents');
      throw new Error('half way');
    };
    await expect(openIndexedDbStore(name, { migrations: [...migrations, broken] })).rejects.toMatchObject({
      code: 'storage-failed',
    });
    const again = await openIndexedDbStore(name);
    expect(await again.documents()).toHaveLength(3);
    await again.close();
  });

  it('is refused where there is no IndexedDB', async () => {
    const spy = vi.spyOn(window, 'indexedDB', 'get').mockReturnValue(undefined as never);
    await expect(openIndexedDbStore('x')).rejects.toMatchObject({ code: 'storage-failed' });
    spy.mockRestore();
    name = 'x';
  });

  it('holds what this version of the schema holds', async () => {
    await (await openIndexedDbStore(fresh())).close();
    const database: IDBPDatabase = await openDB(databaseName());
    const layout = [...database.objectStoreNames].map((store) => {
      const { keyPath, autoIncrement, indexNames } = database.transaction(store).store;
      return [store, keyPath, autoIncrement, [...indexNames].join()];
    });
    expect([database.version, ...layout]).toEqual([
      1,
      ['answers', null, false, ''],
      ['batches', ['runId', 'iteration'], false, ''],
      ['documents', 'id', false, ''],
      ['journal', ['runId', 'iteration', 'group'], false, ''],
      ['keys', 'documentId', false, ''],
      ['pendingQueries', null, true, 'id'],
      ['queries', null, true, 'id'],
      ['revisions', null, true, 'document,id,run,version'],
      ['runs', 'id', false, ''],
      ['settings', null, false, ''],
      ['vectorChunks', null, true, ''],
      ['vectorHeads', ['space', 'chunk'], false, ''],
      ['versions', 'version', false, ''],
    ]);
    database.close();
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { aliveAt, keySetsAt, planRollback } from '../../../src/keys/lifetimes.ts';
import type { IndexStore } from '../../../src/store/types.ts';
import {
  batchOf,
  commitOf,
  contentOf,
  documents,
  expansion,
  fill,
  generated,
  journalEntry,
  query,
  revision,
  runRecord,
  version,
} from './samples.ts';

/** What every store does; `open` gives a store, new under a new name. */
export function storeSuite(kind: string, open: (name: string) => Promise<IndexStore>): void {
  const opened: IndexStore[] = [];
  let made = 0;

  async function fresh(name = `${kind} ${Date.now()} ${made++}`): Promise<IndexStore> {
    const store = await open(name);
    opened.push(store);
    return store;
  }

  async function filled(): Promise<IndexStore> {
    const store = await fresh();
    await fill(store);
    return store;
  }

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.destroy();
  });

  describe(`${kind}: documents and keys`, () => {
    it('begins empty, at version 0', async () => {
      const store = await fresh();
      expect(await store.documents()).toEqual([]);
      expect(await store.currentVersion()).toBe(0);
      expect(await store.versions()).toEqual([
        { version: 0, parent: null, kind: 'initial', at: expect.any(Number) as number },
      ]);
      expect(await store.unfinishedRun()).toBeUndefined();
    });

    it('keeps documents as they are, by id', async () => {
      const store = await fresh();
      await store.putDocuments(documents);
      expect(await store.documents()).toEqual([documents[1], documents[0], documents[2]]);
    });

    it('holds copies: neither what was given nor what was returned is a part of it', async () => {
      const store = await fresh();
      const document = { id: 'a', text: 'one', metadata: { tags: ['x'] } };
      await store.putDocuments([document]);
      document.metadata.tags.push('y');
      const [first] = await store.documents();
      (first.metadata?.tags as string[]).push('z');
      expect(await store.documents()).toEqual([{ id: 'a', text: 'one', metadata: { tags: ['x'] } }]);
    });

    it('refuses what is no document, as a whole, and says what is wrong', async () => {
      const store = await fresh();
      const good = { id: 'good', text: '' };
      const bad: [unknown, RegExp][] = [
        [{ id: '', text: 'x' }, /documents\[1\]\.id must be a string of 1 to 512/],
        [{ id: 'x'.repeat(513), text: 'x' }, /\.id/],
        [{ id: 'a\u001fb', text: 'x' }, /control characters/],
        [{ id: 'a', text: 7 }, /documents\[1\]\.text must be a string/],
        [{ id: 'a', text: 'x', metadata: { f: () => 1 } }, /\.metadata\.f must be plain JSON/],
        [{ id: 'a', text: 'x', metadata: { n: NaN } }, /\.metadata\.n must be a finite number/],
        [
          JSON.parse('{"id":"a","text":"x","metadata":{"__proto__":{"admin":true}}}'),
          /__proto__ is not allowed/,
        ],
        [{ id: 'a', text: 'x', source: { name: 'f', start: -1 } }, /\.source\.start/],
        [good, /"good" twice/],
        [null, /must be an object/],
      ];
      for (const [document, message] of bad) {
        const put = store.putDocuments([good, document] as never);
        await expect(put).rejects.toMatchObject({
          code: 'invalid-argument',
          message: expect.stringMatching(message) as string,
        });
      }
      expect(await store.documents()).toEqual([]);
    });

    it('keeps the keys of a document whose title and text stay', async () => {
      const store = await filled();
      const before = await store.keys();
      await store.putDocuments([{ ...documents[0], metadata: { read: true } }]);
      expect(await store.keys()).toEqual(before);
    });

    it.each([{ text: 'Another text.' }, { title: 'Another title' }])(
      'withdraws the keys of a document that now reads otherwise from every version: %o',
      async (change) => {
        const store = await filled();
        const changed = { ...documents[0], ...change };
        const before = await store.keys();
        await store.putDocuments([changed]);

        const keys = await store.keys();
        expect(keys.map((key) => [key.id, key.born])).toEqual(before.map((key) => [key.id, key.born]));
        expect(keys.filter((key) => key.documentId === 'tea').every((key) => key.died === key.born)).toBe(
          true,
        );
        expect(keys.filter((key) => key.documentId !== 'tea')).toEqual(
          before.filter((key) => key.documentId !== 'tea'),
        );
        for (const past of [0, 1, 2]) {
          const sets = keySetsAt(keys, await store.documents(), past);
          expect(sets.get('tea')?.generated).toEqual([]);
          expect(sets.get('bread/rye')?.expansion?.text).toBe(past === 0 ? undefined : 'sour loaf');
        }
        expect(await store.revisions({ documentId: 'tea' })).toHaveLength(2);

        const plan = planRollback(keys, 2, 1);
        expect(plan).toEqual({ born: [], died: [] });
        await store.commit(commitOf(3, { born: [generated('tea', 'how long does tea draw?', 3)] }));
        expect(aliveAt(await store.keys(), 3)).toHaveLength(2);
      },
    );

    it('removes documents with every trace of their keys and revisions', async () => {
      const store = await filled();
      await store.removeDocuments(['tea', 'unknown']);
      expect((await store.documents()).map(({ id }) => id)).toEqual(['bread/rye', '搜索 🔎']);
      expect((await store.keys()).map((key) => key.documentId)).toEqual(['bread/rye']);
      expect(await store.revisions()).toEqual([]);
      expect(await store.currentVersion()).toBe(2);

      await store.putDocuments([documents[0]]);
      const sets = keySetsAt(await store.keys(), await store.documents(), 1);
      expect(sets.get('tea')?.generated).toEqual([]);
    });

    it('works under names of any kind', async () => {
      const names = ['a/b/../c', '搜索 🔎 ñ', ' ', '__proto__', 'é', 'e\u0301', 'x'.repeat(512), '%2F?#'].map(
        (name) => `${name}`,
      );
      const stores = await Promise.all(names.map((name) => fresh(name)));
      await Promise.all(stores.map((store, i) => store.putDocuments([{ id: 'd', text: `${i}` }])));
      for (const [i, store] of stores.entries()) {
        expect(store.name).toBe(names[i]);
        expect((await store.documents())[0].text).toBe(`${i}`);
      }
    });

    it.each(['', 'x'.repeat(513), '\ud800'])('refuses a name that cannot be one: %j', async (name) => {
      await expect(open(name)).rejects.toMatchObject({ code: 'invalid-argument' });
    });
  });

  describe(`${kind}: commits`, () => {
    it('makes a version with its keys, revisions and queries', async () => {
      const store = await filled();
      const content = await contentOf(store);
      expect(content.current).toBe(2);
      expect(content.versions.map(({ kind }) => kind)).toEqual(['initial', 'iteration', 'teaching']);
      expect(content.keys.map(({ text, born, died }) => [text, born, died]).sort()).toEqual([
        ['how long does tea draw?', 1, null],
        ['sour loaf', 1, null],
        ['tea time', 1, 2],
      ]);
      const ids = content.keys.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort());
      expect(content.revisions.map(({ id }) => id)).toEqual(['r1', 'r2']);
      expect(content.queries.map(({ id }) => id)).toEqual(['q1', 'seen']);
      expect(content.pending.map(({ id }) => id)).toEqual(['waiting']);
      expect(content.run).toEqual(runRecord({ iterations: 1, version: 1 }));
    });

    it('lets a key be born again after it died, under its id', async () => {
      const store = await filled();
      const keys = await store.keys();
      await store.commit(
        commitOf(3, { version: version(3, { kind: 'rollback', restores: 1 }), ...planRollback(keys, 2, 1) }),
      );
      const again = await store.keys();
      expect(again).toHaveLength(4);
      const texts = (number: number) =>
        aliveAt(again, number)
          .map(({ text }) => text)
          .sort();
      expect(texts(3)).toEqual(texts(1));
      expect(texts(2)).toEqual(['how long does tea draw?', 'sour loaf']);
      expect(texts(0)).toEqual([]);
    });

    it('refuses what does not fit, with nothing applied', async () => {
      const store = await filled();
      const before = await contentOf(store);
      const living = generated('tea', 'how long does tea draw?', 3);
      const dead = generated('tea', 'tea time');
      const rest = {
        run: runRecord({ status: 'finished' }),
        queries: [query('q9')],
        revisions: [revision('r9')],
      };
      const cases: [Parameters<IndexStore['commit']>[0], string][] = [
        [commitOf(2, rest), 'version-conflict'],
        [commitOf(4, rest), 'version-conflict'],
        [commitOf(3, { ...rest, died: [dead.id] }), 'version-conflict'],
        [commitOf(3, { ...rest, died: ['unheard of'] }), 'version-conflict'],
        [commitOf(3, { ...rest, born: [living] }), 'version-conflict'],
        [commitOf(3, { ...rest, revisions: [revision('r1')] }), 'version-conflict'],
        [commitOf(3, { ...rest, born: [generated('gone', 'x', 3)] }), 'document-not-found'],
        [commitOf(3, { ...rest, revisions: [revision('r9', { documentId: 'gone' })] }), 'document-not-found'],
        [commitOf(3, { ...rest, born: [generated('tea', 'new', 2)] }), 'invalid-argument'],
        [commitOf(3, { ...rest, born: [{ ...generated('tea', 'new', 3), died: 4 }] }), 'invalid-argument'],
        [
          commitOf(3, { ...rest, born: [{ ...generated('tea', 'new', 3), text: 'newer' }] }),
          'invalid-argument',
        ],
        [commitOf(3, { ...rest, died: [living.id, living.id] }), 'invalid-argument'],
        [commitOf(3, { ...rest, died: [7] as never }), 'invalid-argument'],
        [commitOf(3, { ...rest, version: version(3, { parent: 3 }) }), 'invalid-argument'],
        [commitOf(3, { ...rest, version: version(3, { kind: 'initial' }) }), 'invalid-argument'],
        [commitOf(3, { ...rest, version: version(3, { restores: 3 }) }), 'invalid-argument'],
      ];
      for (const [commit, code] of cases) await expect(store.commit(commit)).rejects.toMatchObject({ code });
      expect(await contentOf(store)).toEqual(before);

      await store.commit(commitOf(3, { ...rest, died: [living.id], born: [living] }));
      expect(await store.currentVersion()).toBe(3);
    });

    it('lets one of two commits of the same version stand, and the whole of it', async () => {
      const store = await filled();
      const outcomes = await Promise.allSettled(
        ['first', 'second'].map((text) => store.commit(commitOf(3, { born: [generated('tea', text, 3)] }))),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await store.versions()).toHaveLength(4);
      expect((await store.keys()).filter(({ born }) => born === 3)).toHaveLength(1);
    });

    it('takes large commits', async () => {
      const store = await fresh();
      const many = Array.from({ length: 3000 }, (_, i) => ({ id: `d${i}`, text: `text ${i}` }));
      await store.putDocuments(many);
      const born = many.map(({ id }) => expansion(id, [id]));
      await store.commit(commitOf(1, { born }));
      await store.commit(commitOf(2, { died: born.map(({ id }) => id) }));
      const keys = await store.keys();
      expect([aliveAt(keys, 1).length, aliveAt(keys, 2).length]).toEqual([3000, 0]);
    });

    it('finds revisions by document, version and run', async () => {
      const store = await filled();
      await store.putRevisions([
        revision('t1', { runId: 'teaching', documentId: 'bread/rye' }),
        revision('t0', { runId: 'teaching' }),
      ]);
      const ids = async (filter: Parameters<IndexStore['revisions']>[0]) =>
        (await store.revisions(filter)).map(({ id }) => id);
      expect(await ids({})).toEqual(['r1', 'r2', 't1', 't0']);
      expect(await ids({ documentId: 'tea' })).toEqual(['r1', 'r2', 't0']);
      expect(await ids({ version: 1 })).toEqual(['r1']);
      expect(await ids({ runId: 'teaching' })).toEqual(['t1', 't0']);
      expect(await ids({ runId: 'teaching', documentId: 'tea' })).toEqual(['t0']);
      expect(await ids({ version: 1, documentId: 'bread/rye' })).toEqual([]);
      await expect(store.putRevisions([revision('new'), revision('t0')])).rejects.toMatchObject({
        code: 'version-conflict',
      });
      await expect(store.putRevisions([revision('new', { documentId: 'no' })])).rejects.toMatchObject({
        code: 'document-not-found',
      });
      expect(await ids({})).toHaveLength(4);
    });
  });

  describe(`${kind}: queries and runs`, () => {
    it('keeps what was searched until it is used', async () => {
      const store = await fresh();
      await store.putQueries([query('b', 'observed'), query('a', 'observed')]);
      const opened = { ...query('b', 'observed'), sourceDocumentId: 'elsewhere' };
      await store.putQueries([opened]);
      expect(await store.pendingQueries()).toEqual([opened, query('a', 'observed')]);

      await store.commit(commitOf(1, { queries: [query('s'), opened] }));
      await store.commit(commitOf(2, { queries: [query('t'), query('s')] }));
      expect((await store.queries()).map(({ id }) => id)).toEqual(['s', 'b', 't']);
      await store.putQueries([query('b', 'observed')]);
      expect((await store.pendingQueries()).map(({ id }) => id)).toEqual(['a']);
    });

    it('clears batch and journal of what was committed, and of a run that ended, alone', async () => {
      const store = await fresh();
      for (const runId of ['run', 'run2']) {
        for (const iteration of [0, 1, 2]) {
          await store.putBatch(batchOf(iteration, runId));
          await store.putJournal(journalEntry(iteration, 1, runId));
          await store.putJournal(journalEntry(iteration, 0, runId));
        }
      }
      const left = async (runId: string) =>
        Promise.all(
          [0, 1, 2].map(async (iteration) => {
            const groups = (await store.journal(runId, iteration)).map(({ group }) => group);
            return [(await store.batch(runId, iteration)) !== undefined, ...groups];
          }),
        );
      const whole = [true, 0, 1];
      expect(await left('run')).toEqual([whole, whole, whole]);
      await store.commit(commitOf(1, { version: version(1, { runId: 'run', iteration: 1 }) }));
      expect(await left('run')).toEqual([[false], [false], whole]);
      await store.commit(commitOf(2, { run: runRecord({ status: 'finished' }) }));
      expect(await left('run')).toEqual([[false], [false], [false]]);
      expect(await left('run2')).toEqual([whole, whole, whole]);
      await store.putRun(runRecord({ id: 'run2', status: 'running' }));
      expect(await left('run2')).toEqual([whole, whole, whole]);
      await store.putRun(runRecord({ id: 'run2', status: 'stopped' }));
      expect(await left('run2')).toEqual([[false], [false], [false]]);
    });

    it('knows the run to go on with', async () => {
      const store = await fresh();
      await store.putRun(runRecord({ id: 'a', startedAt: 3 }));
      await store.putRun(runRecord({ id: 'b', startedAt: 9 }));
      await store.putRun(runRecord({ id: 'c', startedAt: 20, status: 'failed' }));
      expect((await store.unfinishedRun())?.id).toBe('b');
      await store.putRun(runRecord({ id: 'b', startedAt: 9, status: 'finished' }));
      expect((await store.unfinishedRun())?.id).toBe('a');
      expect(await store.run('nobody')).toBeUndefined();
    });

    it('keeps settings under any name', async () => {
      const store = await fresh();
      for (const name of ['a', '__proto__', 'constructor'])
        await store.putSetting(name, { of: [name, null, 0] });
      expect(await store.setting('__proto__')).toEqual({ of: ['__proto__', null, 0] });
      expect(await store.setting('toString')).toBeUndefined();
      await expect(store.putSetting('', 1)).rejects.toMatchObject({ code: 'invalid-argument' });
      await expect(store.putSetting('a', undefined as never)).rejects.toMatchObject({
        code: 'invalid-argument',
      });
      expect(await store.setting('a')).toEqual({ of: ['a', null, 0] });
    });
  });

  describe(`${kind}: caches`, () => {
    it('keeps answers by hash', async () => {
      const store = await fresh();
      await store.answers.put([
        { hash: 'x', answer: { text: 'one', cut: undefined } },
        { hash: 'y', answer: [1, 2] },
      ]);
      await store.answers.put([{ hash: 'y', answer: null }]);
      expect(await store.answers.get(['y', 'none', 'x', 'y'])).toEqual([
        null,
        undefined,
        { text: 'one' },
        null,
      ]);
      const bad = store.answers.put([
        { hash: 'x', answer: 'two' },
        { hash: 'z', answer: new Map() },
      ]);
      await expect(bad).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(await store.answers.get(['x'])).toEqual([{ text: 'one', cut: undefined }]);
    });

    it('keeps vectors by space and hash, over many chunks', async () => {
      const store = await fresh();
      const vectorOf = (i: number) => Float32Array.of(i, i / 3, -i, 1e-20 * i);
      const entry = (i: number) => ({ hash: `h${i}`, vector: vectorOf(i) });
      const numbers = Array.from({ length: 1000 }, (_, i) => i);
      await store.vectors.put('s', [entry(0)]);
      await store.vectors.put('s', numbers.slice(0, 300).map(entry));
      await store.vectors.put('s', numbers.slice(250, 500).map(entry));
      for (const i of numbers.slice(500, 520)) await store.vectors.put('s', [entry(i)]);
      await store.vectors.put('s', [...numbers.slice(520), ...numbers.slice(600)].map(entry));
      await store.vectors.put('other', [{ hash: 'h1', vector: Float32Array.of(7) }]);

      const order = [...numbers].reverse();
      const found = await store.vectors.get(
        's',
        order.map((i) => `h${i}`),
      );
      expect(found).toEqual(order.map(vectorOf));
      expect(await store.vectors.get('s', ['h3', 'no', 'h3'])).toEqual([vectorOf(3), undefined, vectorOf(3)]);
      expect(await store.vectors.get('other', ['h1', 'h2'])).toEqual([Float32Array.of(7), undefined]);
      expect(await store.vectors.get('empty', ['h1'])).toEqual([undefined]);
      expect(await store.vectors.get('s', [])).toEqual([]);
    });

    it('passes over vectors that it has, and refuses those that cannot be', async () => {
      const store = await fresh();
      await store.vectors.put('s', [{ hash: 'a', vector: Float32Array.of(1, 2) }]);
      await store.vectors.put('s', [{ hash: 'a', vector: Float32Array.of(3, 4) }]);
      for (const vector of [
        Float32Array.of(1, NaN),
        Float32Array.of(1),
        Float32Array.of(),
        Float32Array.of(0, Infinity),
      ]) {
        const put = store.vectors.put('s', [
          { hash: 'b', vector: Float32Array.of(5, 6) },
          { hash: 'c', vector },
        ]);
        await expect(put).rejects.toMatchObject({ code: 'invalid-argument' });
      }
      expect(await store.vectors.get('s', ['a', 'b'])).toEqual([Float32Array.of(1, 2), undefined]);
    });
  });

  describe(`${kind}: export and import`, () => {
    it('brings everything over, caches when asked for', async () => {
      const [from, to] = [await filled(), await filled()];
      await to.putDocuments([{ id: 'later', text: 'x' }]);
      await to.vectors.put('else', [{ hash: 'v', vector: Float32Array.of(1) }]);
      await to.import(await from.export({ vectors: true, answers: true }));
      expect(await contentOf(to)).toEqual(await contentOf(from));
      expect(await to.vectors.get('else', ['v'])).toEqual([undefined]);

      await to.import(await from.export());
      const { answers, vectors, ...rest } = await contentOf(to);
      expect([answers, vectors]).toEqual([
        [undefined, undefined],
        [undefined, undefined, undefined],
      ]);
      expect(await contentOf(from)).toMatchObject(rest);
      await to.commit(commitOf(3, { queries: [query('next')] }));
      expect((await to.queries()).map(({ id }) => id)).toEqual(['q1', 'seen', 'next']);
    });

    it('gives the same file for the same content', async () => {
      const [from, to] = [await filled(), await fresh()];
      const options = { vectors: true, answers: true };
      const file = await from.export(options);
      await to.import(file);
      const again = await to.export(options);
      expect(new Uint8Array(await again.arrayBuffer())).toEqual(new Uint8Array(await file.arrayBuffer()));
    });

    it('brings over an empty index', async () => {
      const [from, to] = [await fresh(), await filled()];
      await to.import(await from.export());
      expect(await contentOf(to)).toEqual(await contentOf(from));
    });

    it('is as before when a file is damaged', async () => {
      const store = await filled();
      const before = await contentOf(store);
      const bytes = new Uint8Array(await (await store.export()).arrayBuffer());
      bytes[bytes.length - 30] ^= 4;
      await expect(store.import(new Blob([bytes]))).rejects.toMatchObject({ code: 'import-corrupt' });
      await expect(store.import(new Blob(['{}']))).rejects.toMatchObject({ code: 'import-unsupported' });
      expect(await contentOf(store)).toEqual(before);
    });
  });

  describe(`${kind}: the end`, () => {
    it('is closed for good', async () => {
      const store = await filled();
      await store.close();
      await store.close();
      const code = 'storage-closed';
      await expect(store.documents()).rejects.toMatchObject({ code });
      await expect(store.putDocuments([])).rejects.toMatchObject({ code });
      await expect(store.commit(commitOf(3))).rejects.toMatchObject({ code });
      await expect(store.vectors.get('s', ['a'])).rejects.toMatchObject({ code });
      await expect(store.export()).rejects.toMatchObject({ code });
    });

    it('is gone when destroyed', async () => {
      const name = `${kind} destroyed`;
      const store = await fresh(name);
      await fill(store);
      await store.destroy();
      await expect(store.keys()).rejects.toMatchObject({ code: 'storage-closed' });
      const next = await fresh(name);
      expect(await next.documents()).toEqual([]);
      expect(await next.currentVersion()).toBe(0);
    });
  });
}

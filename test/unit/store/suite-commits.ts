import { describe, expect, it } from 'vitest';
import { aliveAt, planRollback } from '../../../src/keys/lifetimes.ts';
import type { IndexStore } from '../../../src/store/types.ts';
import {
  batchOf,
  commitOf,
  contentOf,
  expansion,
  generated,
  journalEntry,
  query,
  revision,
  runRecord,
  version,
} from './samples.ts';
import type { Stores } from './store-suite.ts';

/** What every store does with versions, queries and runs. */
export function commitsSuite({ kind, fresh, filled }: Stores): void {
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
      await expect(store.putRevisions([revision('new'), revision('r1')])).rejects.toMatchObject({
        code: 'version-conflict',
      });
      await expect(store.putRevisions([revision('new', { documentId: 'no' })])).rejects.toMatchObject({
        code: 'document-not-found',
      });
      expect(await ids({})).toHaveLength(4);

      await store.putRevisions([revision('t1', { runId: 'teaching', skipped: 'again' })]);
      expect(await ids({ documentId: 'bread/rye' })).toEqual([]);
      await store.commit(
        commitOf(3, { revisions: [revision('t0', { runId: 'teaching', version: 3, accepted: true })] }),
      );
      expect(await ids({ runId: 'teaching' })).toEqual(['t1', 't0']);
      expect(await ids({ version: 3 })).toEqual(['t0']);
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
      await store.commit(
        commitOf(2, { queries: [query('t'), query('s'), query('u'), { ...query('t'), text: 'twice' }] }),
      );
      expect(await store.queries()).toEqual([query('s'), opened, query('t'), query('u')]);
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
}

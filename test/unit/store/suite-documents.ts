import { describe, expect, it } from 'vitest';
import { aliveAt, keySetsAt, planRollback } from '../../../src/keys/lifetimes.ts';
import { commitOf, documents, generated } from './samples.ts';
import type { Stores } from './store-suite.ts';

/** What every store does with documents and keys. */
export function documentsSuite({ kind, open, fresh, filled }: Stores): void {
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
      await expect(store.removeDocuments(['tea', 7 as never])).rejects.toMatchObject({
        code: 'invalid-argument',
      });
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
}

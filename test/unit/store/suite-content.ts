import { describe, expect, it } from 'vitest';
import { commitOf, contentOf, fill, query } from './samples.ts';
import type { Stores } from './store-suite.ts';

/** What every store does with caches, files and its own end. */
export function contentSuite({ kind, fresh, filled }: Stores): void {
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

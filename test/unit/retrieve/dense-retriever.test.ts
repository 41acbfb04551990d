import { describe, expect, it } from 'vitest';
import { compareIds } from '../../../src/base/order.ts';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { RowLabels } from '../../../src/kernel/types.ts';
import { makeExpansionKey, makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import { DenseRetriever } from '../../../src/retrieve/dense/dense-retriever.ts';
import type { Aggregate } from '../../../src/retrieve/types.ts';
import { wordEmbedder } from './word-embedder.ts';

const original = (id: string, text: string) => makeOriginalKey({ id, text });
const generated = (id: string, text: string) =>
  makeGeneratedKey(id, { text, form: 'question' }, { by: 'reviser' });
const words = ['river', 'warm', 'cold', 'cat', 'fish', 'wind', 'sleep', 'swim', 'stone', 'light'];
const keys = Array.from({ length: 40 }, (_, i) =>
  original(`d${i}`, words.filter((_, w) => (i * 7 + w * w) % (3 + (i % 4)) === 0).join(' ')),
);
const more = [
  generated('d3', 'where do fish swim'),
  generated('d3', 'cold stone'),
  generated('d7', 'warm cat'),
];
const all = [...keys, ...more];

async function cosine(query: string, texts: readonly string[]): Promise<number[]> {
  const [q, k] = [await wordEmbedder().embed([query], 'query'), await wordEmbedder().embed(texts, 'passage')];
  return texts.map((_, i) => q.reduce((sum, value, d) => sum + value * k[i * q.length + d], 0));
}

/** Equal scores in 32 bits may be told apart by the last bits here: compare scores, and ids where scores differ. */
const rounded = (score: number) => Math.round(score * 1e5);

async function bestKeys(query: string, list: readonly IndexKey[]) {
  const scores = await cosine(
    query,
    list.map((key) => key.text),
  );
  return list
    .map((key, i) => ({ id: key.id, score: rounded(scores[i]) }))
    .sort((a, b) => b.score - a.score || compareIds(a.id, b.id));
}

const create = (list: readonly IndexKey[], aggregate?: Aggregate) =>
  DenseRetriever.create(list, { embedder: wordEmbedder(), ...(aggregate && { aggregate }) });

describe('DenseRetriever', () => {
  it('finds the keys of highest cosine, ties by id', async () => {
    const retriever = await create(all);
    const queries = ['fish in a cold river', 'cat sleep', 'wind'];
    const lists = await retriever.topKeys(queries, 12);
    for (const [i, query] of queries.entries()) {
      const expected = (await bestKeys(query, all)).slice(0, 12);
      expect(lists[i].map(({ keyId, score }) => ({ id: keyId, score: rounded(score) }))).toEqual(expected);
    }
  });

  it.each(['max', { blend: 0.5, boost: 0.2 }, { blend: 0, boost: 1 }] as const)(
    'ranks documents by the aggregate %j of their keys, without an expansion',
    async (aggregate) => {
      const retriever = await create([...all, makeExpansionKey('d1', ['cat'])], aggregate);
      const hits = await retriever.rank('warm cat swim', 40);
      const scores = new Map(
        (await bestKeys('warm cat swim', all)).map(({ id, score }) => [id, score / 1e5]),
      );
      const expected = new Map(
        keys.map((key) => {
          const o = scores.get(key.id) ?? 0;
          const others = more.filter(({ documentId }) => documentId === key.documentId);
          const g = Math.max(o, ...others.map(({ id }) => scores.get(id) ?? 0));
          return [key.documentId, aggregate === 'max' ? g : o + aggregate.blend * (g - o)];
        }),
      );
      expect(hits).toHaveLength(40);
      hits.forEach(({ documentId, score, rank, components, keyId }, i) => {
        expect(score).toBeCloseTo(expected.get(documentId) ?? NaN, 4);
        expect(rank).toBe(i + 1);
        expect(components.dense).toMatchObject({ score, rank, expansion: 0 });
        expect(keyId.startsWith(documentId)).toBe(true);
      });
      expect([...hits].sort((a, b) => b.score - a.score || compareIds(a.documentId, b.documentId))).toEqual(
        hits,
      );
    },
  );

  it('gives relevance of texts, of living keys, and specificity by the same cosine', async () => {
    const retriever = await create(all);
    const expected = await cosine('fish swim', [keys[3].text, more[0].text]);
    const matrix = await retriever.relevance(['fish swim'], [keys[3].text, more[0].text]);
    expect([...matrix]).toEqual(expected.map((score) => expect.closeTo(score, 5) as number));
    const best = await retriever.maxRelevance([
      { query: 'fish swim', keyIds: [keys[3].id, more[0].id] },
      { query: 'fish swim', keyIds: [] },
    ]);
    expect([...best]).toEqual([Math.max(...matrix), -Infinity]);

    const [rivals] = await retriever.rivals([{ query: 'fish swim', documentId: 'd3' }]);
    const scores = await bestKeys('fish swim', keys);
    const own = scores.find(({ id }) => id === keys[3].id)?.score ?? NaN;
    expect(rivals).toBe(scores.filter(({ id, score }) => id !== keys[3].id && score >= own).length);
  });

  it('refuses what is not in the index', async () => {
    const retriever = await create(keys);
    await expect(retriever.rivals([{ query: 'a', documentId: 'x' }])).rejects.toMatchObject({
      code: 'document-not-found',
    });
    await expect(retriever.maxRelevance([{ query: 'a', keyIds: ['x'] }])).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    expect(await retriever.rank('  ', 5)).toEqual([]);
    expect(await retriever.rank('cat', 0)).toEqual([]);
  });

  it('follows changes as an index built afresh does, and embeds only what is new', async () => {
    const embedder = wordEmbedder();
    const retriever = await DenseRetriever.create(all, { embedder });
    const before = embedder.embedded.length;
    const changed = original('d0', 'a wholly new text');
    await retriever.update({
      added: [changed, more[2]],
      removed: [keys[0], keys[3], original('x', 'never there')],
    });
    expect(embedder.embedded.slice(before)).toEqual([changed.text]);
    const left = [...keys.filter((key) => key !== keys[0] && key !== keys[3]), changed, more[2]];
    const fresh = await create(left);
    for (const query of ['fish swim', 'new text', 'warm cat']) {
      expect(await retriever.rank(query, 100)).toEqual(await fresh.rank(query, 100));
      expect(await retriever.topKeys([query], 100)).toEqual(await fresh.topKeys([query], 100));
    }
  });

  it('applies nothing of changes that it refuses or that are aborted', async () => {
    const retriever = await create(all);
    const before = await retriever.rank('warm cat', 5);
    const removed = [keys[7]];
    await expect(retriever.update({ added: [generated('x', 'who?')], removed })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
    await expect(
      retriever.update({ added: [original('x', 'warm cat')], removed }, AbortSignal.abort()),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect(await retriever.rank('warm cat', 5)).toEqual(before);
  });

  it('is left as it was by a kernel that has no room, and gives a kernel back that it cannot fill', async () => {
    const kernel = createReferenceKernel(32);
    let disposed = 0;
    const full = new SelfIndexError('out-of-memory', 'full');
    const limited = new Proxy(kernel, {
      get(target, name) {
        if (name === 'add')
          return (vectors: Float32Array, labels: RowLabels) => {
            if (target.length + vectors.length / 32 > 50) throw full;
            return target.add(vectors, labels);
          };
        if (name === 'dispose') return () => disposed++;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const options = { embedder: wordEmbedder(), makeKernel: () => limited };
    const retriever = await DenseRetriever.create(all, options);
    const before = await retriever.rank('warm cat', 60);
    const added = Array.from({ length: 20 }, (_, i) => original(`n${i}`, 'warm cat'));
    await expect(retriever.update({ added, removed: [keys[7]] })).rejects.toBe(full);
    expect(await retriever.rank('warm cat', 60)).toEqual(before);
    await retriever.update({ added: added.slice(0, 5), removed: [] });
    expect(disposed).toBe(0);
    await expect(DenseRetriever.create(added, options)).rejects.toBe(full);
    expect(disposed).toBe(1);
  });

  it('reports progress while it embeds', async () => {
    const progress: number[] = [];
    await DenseRetriever.create(keys, {
      embedder: wordEmbedder(),
      onProgress: (done) => progress.push(done),
    });
    expect(progress.at(-1)).toBe(keys.length);
  });
});

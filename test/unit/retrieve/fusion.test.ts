import { describe, expect, it } from 'vitest';
import { makeExpansionKey, makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import { DenseRetriever } from '../../../src/retrieve/dense/dense-retriever.ts';
import { reciprocalRankFusion } from '../../../src/retrieve/fusion.ts';
import { HybridRetriever } from '../../../src/retrieve/hybrid-retriever.ts';
import { wordAnalyser } from './reference.ts';
import { wordEmbedder } from './word-embedder.ts';

describe('reciprocalRankFusion', () => {
  it('sums 1/(60 + rank) over the rankings', () => {
    const fused = reciprocalRankFusion([
      ['a', 'b', 'c'],
      ['c', 'a'],
    ]);
    expect(fused.map(({ id }) => id)).toEqual(['a', 'c', 'b']);
    expect(fused.map(({ score }) => score)).toEqual(
      [1 / 61 + 1 / 62, 1 / 61 + 1 / 63, 1 / 62].map((s) => expect.closeTo(s, 12) as number),
    );
  });

  it('weighs rankings, leaves out those of weight 0, and breaks ties by id', () => {
    const rankings = [['a'], ['b'], ['z']];
    expect(reciprocalRankFusion(rankings, [1, 1, 0]).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(reciprocalRankFusion(rankings, [1, 2, 1]).map(({ id }) => id)).toEqual(['b', 'a', 'z']);
    expect(reciprocalRankFusion([])).toEqual([]);
  });
});

describe('HybridRetriever', () => {
  const texts = [
    'salmon in cold rivers',
    'warm winds',
    'the cat sleeps',
    'cold winds over rivers',
    'a stone',
  ];
  const keys = texts.map((text, i) => makeOriginalKey({ id: `d${i}`, text }));
  const create = async () => {
    const bm25 = await Bm25Retriever.create(keys, { analyser: wordAnalyser });
    const dense = await DenseRetriever.create(keys, { embedder: wordEmbedder() });
    return { bm25, dense, hybrid: new HybridRetriever(bm25, dense) };
  };

  it('fuses both rankings and gives the score and rank of each', async () => {
    const { bm25, dense, hybrid } = await create();
    const [words, meaning] = [await bm25.rank('cold winds', 100), await dense.rank('cold winds', 100)];
    const hits = await hybrid.rank('cold winds', 10);
    expect(hits).toHaveLength(5);
    for (const [i, hit] of hits.entries()) {
      const [w, m] = [words, meaning].map((list) =>
        list.find(({ documentId }) => documentId === hit.documentId),
      );
      expect(hit.components).toEqual({ ...w?.components, ...m?.components });
      expect(hit.score).toBeCloseTo((w ? 1 / (60 + w.rank) : 0) + (m ? 1 / (60 + m.rank) : 0), 12);
      expect(hit.rank).toBe(i + 1);
    }
    expect(await hybrid.rank('cold winds', 2)).toEqual(hits.slice(0, 2));
  });

  it('answers what evolution asks by BM25 alone', async () => {
    const { bm25, hybrid } = await create();
    const pair = [{ query: 'cold', documentId: 'd0' }];
    const task = [{ query: 'cold', keyIds: [keys[0].id] }];
    expect(await hybrid.topKeys(['cold rivers'], 3)).toEqual(await bm25.topKeys(['cold rivers'], 3));
    expect(await hybrid.relevance(['cold'], ['cold winds'])).toEqual(
      await bm25.relevance(['cold'], ['cold winds']),
    );
    expect(await hybrid.maxRelevance(task)).toEqual(await bm25.maxRelevance(task));
    expect(await hybrid.rivals(pair)).toEqual(await bm25.rivals(pair));
  });

  it('updates both or neither', async () => {
    const { bm25, dense, hybrid } = await create();
    const key = makeGeneratedKey('d4', { text: 'cold winds', form: 'question' }, { by: 'reviser' });
    await hybrid.update({ added: [key, makeExpansionKey('d4', ['winds'])], removed: [] });
    const ranked = async () => [await bm25.rank('cold winds', 9), await dense.rank('cold winds', 9)];
    const before = await ranked();
    expect(before.every((list) => list.some(({ documentId }) => documentId === 'd4'))).toBe(true);
    const refused = { added: [makeExpansionKey('d4', ['stone'])], removed: [keys[0]] };
    await expect(hybrid.update(refused)).rejects.toMatchObject({ code: 'invalid-argument' });
    const aborted = { added: [makeOriginalKey({ id: 'n', text: 'cold' })], removed: [keys[0]] };
    await expect(hybrid.update(aborted, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(await ranked()).toEqual(before);
  });
});

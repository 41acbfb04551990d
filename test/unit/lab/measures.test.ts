import { describe, expect, it } from 'vitest';
import {
  compareRuns,
  judgedQueries,
  measureRun,
  ndcg,
  recall,
  reciprocalRank,
} from '../../../src/lab/measures.ts';

const judgements = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 2],
  ['zero', 0],
  ['negative', -1],
]);

describe('measures of one ranking', () => {
  it('has linear gain, log2(rank + 1) and the ideal of all judgements', () => {
    const ideal = 3 / Math.log2(2) + 2 / Math.log2(3) + 1 / Math.log2(4);
    expect(ndcg(['zero', 'c', 'negative', 'a'], judgements, 10)).toBeCloseTo(
      (2 / Math.log2(3) + 3 / Math.log2(5)) / ideal,
      12,
    );
    expect(ndcg(['zero', 'c', 'negative', 'a'], judgements, 2)).toBeCloseTo(
      2 / Math.log2(3) / (3 + 2 / Math.log2(3)),
      12,
    );
    expect(ndcg(['a', 'c', 'b'], judgements, 10)).toBe(1);
  });

  it('counts what was found of all that is relevant', () => {
    expect(recall(['x', 'c', 'negative', 'a'], judgements, 3)).toBeCloseTo(1 / 3, 12);
    expect(recall(['x', 'c', 'negative', 'a'], judgements, 10)).toBeCloseTo(2 / 3, 12);
  });

  it('takes the first relevant rank within the cut-off', () => {
    expect(reciprocalRank(['x', 'zero', 'b', 'a'], judgements, 10)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRank(['x', 'zero', 'b'], judgements, 2)).toBe(0);
  });

  it('is 0 where nothing is relevant', () => {
    const none = new Map([['zero', 0]]);
    expect([
      ndcg(['zero'], none, 10),
      recall(['zero'], none, 10),
      reciprocalRank(['zero'], none, 10),
    ]).toEqual([0, 0, 0]);
  });
});

describe('measures of a run', () => {
  const qrels = new Map([
    ['found', new Map([['a', 1]])],
    ['lost', new Map([['a', 1]])],
    ['unanswerable', new Map([['a', 0]])],
  ]);

  it('averages over the queries with a relevant document, those without a ranking included', () => {
    const { perQuery, mean } = measureRun(new Map([['found', ['a']]]), qrels);
    expect(judgedQueries(qrels)).toEqual(['found', 'lost']);
    expect([...perQuery.keys()]).toEqual(['found', 'lost']);
    expect(mean).toEqual({ 'nDCG@10': 0.5, 'R@10': 0.5, 'R@100': 0.5, 'RR@10': 0.5 });
  });

  it('counts the queries that got better and worse', () => {
    const before = measureRun(new Map([['found', ['a']]]), qrels);
    const after = measureRun(
      new Map([
        ['found', ['b', 'a']],
        ['lost', ['b', 'a']],
      ]),
      qrels,
    );
    expect(compareRuns(before, after)).toEqual({ better: 1, worse: 1 });
    expect(compareRuns(after, after)).toEqual({ better: 0, worse: 0 });
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeMachinery } from '../../../src/evolve/machinery.ts';
import { IndexState } from '../../../src/evolve/state.ts';
import { agreementOf, areaUnderCurve, cohenKappa } from '../../../src/lab/judges/agreement.ts';
import { measureJudges } from '../../../src/lab/judges/measure-judges.ts';
import { balancedPairs } from '../../../src/lab/judges/pairs.ts';
import type { Collection } from '../../../src/lab/collection.ts';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import { kitchen } from '../evolve/kitchen.ts';
import { wordEmbedder } from '../retrieve/word-embedder.ts';

test('kappa and its error are those of Fleiss, Cohen and Everitt (1969), table 1', () => {
  // 200 subjects, three diagnoses: κ = .429, variance .002885.
  const result = cohenKappa([
    [106, 10, 4],
    [22, 28, 10],
    [2, 12, 6],
  ]);
  expect(result?.kappa).toBeCloseTo(0.429, 3);
  expect((result?.standardError ?? 0) ** 2).toBeCloseTo(0.002885, 6);
});

test('kappa by hand: two readers, 50 grants', () => {
  // Agreement .7; chance .5 · .6 + .5 · .4 = .5; κ = .2 / .5.
  const result = cohenKappa([
    [20, 5],
    [10, 15],
  ]);
  expect(result?.kappa).toBeCloseTo(0.4, 12);
  expect(result?.interval[0]).toBeCloseTo(0.4 - 1.959964 * 0.126996, 5);
  expect(result?.interval[1]).toBeCloseTo(0.4 + 1.959964 * 0.126996, 5);
});

test('kappa of chance, of full agreement and of nothing', () => {
  const square = (a: number, b: number, c: number, d: number) =>
    cohenKappa([
      [a, b],
      [c, d],
    ]);
  expect(square(10, 10, 10, 10)?.kappa).toBeCloseTo(0, 12);
  expect(square(7, 0, 0, 9)).toEqual({ kappa: 1, standardError: 0, interval: [1, 1] });
  expect(square(9, 0, 0, 0)).toBeNull();
  expect(square(0, 0, 0, 0)).toBeNull();
});

test('property: kappa is at most 1, symmetric in the raters, and lies in its interval', () => {
  const count = fc.nat(50);
  fc.assert(
    fc.property(count, count, count, count, (a, b, c, d) => {
      const one = cohenKappa([
        [a, b],
        [c, d],
      ]);
      const other = cohenKappa([
        [a, c],
        [b, d],
      ]);
      if (!one) return expect(other).toBeNull();
      expect(other?.kappa).toBeCloseTo(one.kappa, 10);
      expect(one.kappa).toBeLessThanOrEqual(1 + 1e-12);
      expect(one.interval[0]).toBeLessThanOrEqual(one.kappa + 1e-12);
      expect(one.interval[1]).toBeGreaterThanOrEqual(one.kappa - 1e-12);
    }),
  );
});

test('area under the curve by hand, ties counted half', () => {
  // Of six comparisons 3>1, 3>2, 2>1, 1<2 are decided, 2=2 and 1=1 are ties: (3 + 1) / 6.
  expect(areaUnderCurve([3, 2, 1], [1, 2])).toBeCloseTo(4 / 6, 12);
  expect(areaUnderCurve([1, 1], [0])).toBe(1);
  expect(areaUnderCurve([], [0])).toBeNaN();
});

test('agreement at the gate by hand; no answer does not pass', () => {
  const pair = (relevant: boolean, score: number | null, value?: number) => ({
    relevant,
    score,
    ...(value !== undefined && { value }),
  });
  const judged = [
    pair(true, 3, 0.9),
    pair(true, 2, 0.6),
    pair(true, 1, 0.3),
    pair(true, null),
    pair(false, 2, 0.5),
    pair(false, 1, 0.2),
    pair(false, 0, 0.1),
    pair(false, 0, 0.1),
  ];
  // Passing: two relevant, one not. Agreement 5/8, chance 3/8 · 1/2 + 5/8 · 1/2 = 1/2: κ = .25.
  expect(agreementOf(judged, 2)).toMatchObject({
    pairs: 8,
    skipped: 1,
    accuracy: 5 / 8,
    precision: 2 / 3,
    recall: 1 / 2,
    aucOfValue: null,
    kappa: { kappa: 0.25 },
  });
  // 3: 4 wins; 2: 3½; 1: 2½; none as 0: 2 ties = 1. Of 16: 11.
  expect(agreementOf(judged, 2).auc).toBeCloseTo(11 / 16, 12);
  expect(agreementOf([pair(true, 1, 0.3), pair(false, 0, 0.4)], 2)).toMatchObject({
    precision: null,
    aucOfValue: 0,
  });
});

const collection: Collection = {
  documents: kitchen,
  queries: [
    { id: 'q1', text: 'hot oven dough' },
    { id: 'q2', text: 'knife and wood' },
    { id: 'q3', text: 'nobody judged this water' },
  ],
  qrels: new Map([
    [
      'q1',
      new Map([
        ['bread', 1],
        ['pizza', 2],
        ['gone', 1],
        ['yeast', 0],
      ]),
    ],
    ['q2', new Map([['board', 1]])],
  ]),
};
const ranking: Record<string, string[]> = {
  'hot oven dough': ['pizza', 'yeast', 'bread', 'rice'],
  'knife and wood': ['board', 'knife', 'scale'],
};
const found = (queries: readonly string[]) => Promise.resolve(queries.map((query) => ranking[query] ?? []));

test('pairs are balanced, seeded, from judged searches alone; each search gives one before any gives two', async () => {
  const pairs = await balancedPairs(collection, { pairs: 100, seed: 1, found });
  expect(pairs).toEqual(await balancedPairs(collection, { pairs: 100, seed: 1, found }));
  expect(pairs.map(({ relevant }) => relevant)).toEqual([true, false, true, false, true, false]);
  expect(new Set(pairs.slice(0, 4).map(({ queryId }) => queryId))).toEqual(new Set(['q1', 'q2']));
  expect(pairs.slice(4).map(({ queryId }) => queryId)).toEqual(['q1', 'q1']);
  const of = (id: string, relevant: boolean) =>
    pairs.filter((pair) => pair.queryId === id && pair.relevant === relevant).map((pair) => pair.documentId);
  expect(of('q1', true).sort()).toEqual(['bread', 'pizza']);
  // Judged 0 is not relevant.
  expect(of('q1', false).sort()).toEqual(['rice', 'yeast']);
  expect(of('q2', true)).toEqual(['board']);
  expect(await balancedPairs(collection, { pairs: 3, seed: 1, found })).toHaveLength(2);
});

test('every judge is measured on the same pairs; a model that answers garbage is skipped and passes nothing', async () => {
  const state = await IndexState.make(kitchen, [], 0, makeMachinery('bm25'), 'max');
  const reports = await measureJudges({
    collection,
    state,
    means: {
      embedder: wordEmbedder(),
      model: new FakeLanguageModel({ id: 'g', answer: () => 'garbage' }),
    },
    judges: ['rules', 'embedder', 'roundtrip:bm25', 'claims', 'rules+roundtrip'],
    pairs: 100,
    seed: 0,
  });
  expect(reports.map(({ name }) => name)).toEqual([
    'rules',
    'embedder',
    'roundtrip:bm25',
    'claims',
    'rules+roundtrip',
  ]);
  for (const report of reports) expect(report.pairs).toBe(6);
  expect(reports[3]).toMatchObject({ skipped: 6, precision: null, accuracy: 0.5, recall: 0, calls: 12 });
  expect(reports[4].id).toMatch(/^combined\(rules & roundtrip\(dense/);
  await expect(
    measureJudges({ collection, state, means: {}, judges: ['claims'], pairs: 10, seed: 0 }),
  ).rejects.toMatchObject({ code: 'invalid-argument' });
});

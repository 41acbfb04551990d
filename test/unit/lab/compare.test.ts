import { expect, it } from 'vitest';
import type { Measures, RunMeasures } from '../../../src/lab/measures.ts';
import { compareBy } from '../../../src/lab/statistics/compare.ts';

const mean: Measures = { 'nDCG@10': 0, 'R@10': 0, 'R@100': 0, 'RR@10': 0 };
const run = (values: Readonly<Record<string, number>>): RunMeasures => ({
  mean,
  perQuery: new Map(Object.entries(values).map(([id, value]) => [id, { ...mean, 'nDCG@10': value }])),
});

it('compares query by query, whatever the order', () => {
  const compared = compareBy(
    'nDCG@10',
    run({ a: 0.5, b: 0.25, c: 1, d: 0 }),
    run({ d: 0.5, c: 1, a: 1, b: 0 }),
  );
  // a +.5, b −.25, c 0, d +.5: sum .75; of the eight sums of ±.5 ± .25 ± .5 the four with equal .5s lie as far from 0
  expect(compared).toMatchObject({
    queries: 4,
    difference: 0.1875,
    exact: true,
    wins: 2,
    losses: 1,
    ties: 1,
  });
  expect(compared.p).toBe(0.5);
  expect(compared.interval[0]).toBeLessThan(0.1875);
  expect(compared.interval[1]).toBeLessThanOrEqual(0.5);
});

it('counts a query that the later run lacks as 0, and knows an empty comparison', () => {
  expect(compareBy('nDCG@10', run({ a: 0.5 }), run({}))).toMatchObject({ difference: -0.5, p: 1, losses: 1 });
  expect(compareBy('nDCG@10', run({}), run({}))).toMatchObject({ queries: 0, difference: 0, p: 1 });
});

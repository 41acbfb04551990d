import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { holm } from '../../../src/lab/statistics/holm.ts';
import { bootstrapInterval, quantile, randomisationTest, tally } from '../../../src/lab/statistics/paired.ts';

interface Expected {
  readonly cases: readonly {
    readonly name: string;
    readonly differences: readonly number[];
    readonly exact: boolean;
    readonly p: number;
    readonly interval: readonly [number, number];
  }[];
  readonly holm: { readonly p: readonly number[]; readonly corrected: readonly number[] };
}
const expected = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/expected.json', import.meta.url), 'utf8'),
) as Expected;

describe('agreement with SciPy', () => {
  it.each(expected.cases)('randomisation test: $name', ({ differences, exact, p }) => {
    const ours = randomisationTest(differences);
    expect(ours.exact).toBe(exact);
    // Both are drawn: 100,000 and 400,000 draws have standard errors of at most .0018 together.
    if (exact) expect(ours.p).toBeCloseTo(p, 12);
    else expect(Math.abs(ours.p - p)).toBeLessThan(0.006);
  });

  it.each(expected.cases)('bootstrap interval: $name', ({ differences, interval }) => {
    const width = interval[1] - interval[0];
    const ours = bootstrapInterval(differences, { samples: 50_000 });
    for (const end of [0, 1]) expect(Math.abs(ours[end] - interval[end])).toBeLessThan(0.03 * width);
  });

  it('Holm’s correction', () => {
    holm(expected.holm.p).forEach((p, i) => expect(p).toBeCloseTo(expected.holm.corrected[i], 12));
  });
});

describe('randomisationTest', () => {
  it('is what one counts by hand', () => {
    // of ++ +− −+ −− the sums .3, .1, −.1, −.3: two lie as far out as .3
    expect(randomisationTest([0.1, 0.2])).toEqual({ p: 0.5, exact: true });
    expect(randomisationTest([0.1, -0.2, 0, 0])).toEqual({ p: 1, exact: true });
    // sums 3, 1, 1, 1, −1, −1, −1, −3: six lie at least 1 from 0, two 3
    expect(randomisationTest([1, 1, 1]).p).toBe(0.25);
    expect(randomisationTest([1, 1, -1]).p).toBe(1);
    expect(randomisationTest([])).toEqual({ p: 1, exact: true });
    expect(randomisationTest([0, 1e-12])).toEqual({ p: 1, exact: true });
  });

  it('does not depend on the sign or the order, drawn neither on the run', () => {
    const { differences } = expected.cases.find(({ exact }) => !exact)!;
    const options = { draws: 2000, seed: 5 };
    const { p } = randomisationTest(differences, options);
    expect(randomisationTest(differences, options).p).toBe(p);
    expect(
      randomisationTest(
        differences.map((difference) => -difference),
        options,
      ).p,
    ).toBe(p);
    expect(randomisationTest(differences, { ...options, seed: 6 }).p).not.toBe(p);
  });

  it('never says 0', () => {
    const all = Array.from({ length: 40 }, (_, i) => 0.1 + i / 100);
    expect(randomisationTest(all, { draws: 99 }).p).toBe(0.01);
  });

  it('refuses what is no figure', () => {
    expect(() => randomisationTest([0.1, NaN])).toThrow('Difference 1 is NaN');
  });
});

describe('bootstrapInterval', () => {
  it('is the mean itself where all differences are one, and empty without any', () => {
    expect(bootstrapInterval([0.25, 0.25, 0.25])).toEqual([0.25, 0.25]);
    expect(bootstrapInterval([])).toEqual([0, 0]);
  });

  it('is the same for the same seed', () => {
    const differences = [0.1, -0.3, 0.2, 0.4, 0];
    expect(bootstrapInterval(differences, { seed: 1 })).toEqual(bootstrapInterval(differences, { seed: 1 }));
  });

  it('interpolates quantiles linearly', () => {
    expect(quantile([0, 10, 20], 0.25)).toBe(5);
    expect([quantile([0, 10, 20], 0), quantile([0, 10, 20], 1), quantile([7], 0.3)]).toEqual([0, 20, 7]);
  });
});

describe('tally and holm', () => {
  it('count wins, losses and ties', () => {
    expect(tally([0.1, -0.2, 0, 1e-12, 0.3])).toEqual({ wins: 2, losses: 1, ties: 2 });
  });

  it('corrects one, none and what is no p-value', () => {
    expect(holm([0.03])).toEqual([0.03]);
    expect(holm([])).toEqual([]);
    // .02 × 2 = .04; .03 × 1 would be below it
    expect(holm([0.03, 0.02])).toEqual([0.04, 0.04]);
    expect(() => holm([1.2])).toThrow('between 0 and 1');
  });
});

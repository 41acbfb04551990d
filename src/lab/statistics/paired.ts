import { SelfIndexError } from '../../base/errors.ts';
import { createRandom } from '../../base/random.ts';

/** Sums in another order may differ in the last bits: that is not a change. */
const rounding = 1e-9;

/** Up to so many differences that are not 0 every assignment of signs is tried: 2^20 sums take a few milliseconds. */
export const mostExact = 20;

export interface RandomisationOptions {
  /** Assignments of signs drawn where there are too many to try them all. Default 100,000. */
  readonly draws?: number;
  /** Default 0. */
  readonly seed?: number;
}

export interface RandomisationTest {
  /** Two-sided, in (0, 1]. */
  readonly p: number;
  /** All assignments were tried; else they were drawn. */
  readonly exact: boolean;
}

/**
 * Fisher's paired randomisation test of a mean difference of 0, two-sided (Smucker, Allan and Carterette, 2007): were the two
 * systems exchangeable, each difference could as well have the other sign; p is the share of assignments of signs whose mean
 * lies at least as far from 0 as the one seen. A difference of 0 has no sign and changes nothing. Drawn, the assignment seen is
 * counted as one of the draws, so p is never 0 and the test never too bold (Phipson and Smyth, 2010).
 *
 * @param differences one per query, after − before
 */
export function randomisationTest(
  differences: readonly number[],
  { draws = 100_000, seed = 0 }: RandomisationOptions = {},
): RandomisationTest {
  checkFinite(differences);
  const changed = differences.map(Math.abs).filter((size) => size > rounding);
  if (changed.length === 0) return { p: 1, exact: true };
  const seen = Math.abs(sum(differences)) - rounding;
  return changed.length <= mostExact
    ? { p: exactShare(changed, seen), exact: true }
    : { p: drawnShare(changed, seen, draws, seed), exact: false };
}

/** In the order of the Gray code only one sign changes from one assignment to the next. */
function exactShare(sizes: readonly number[], seen: number): number {
  const signs = sizes.map(() => 1);
  const assignments = 2 ** sizes.length;
  let total = sum(sizes);
  let extreme = 0;
  for (let i = 1; ; i++) {
    if (Math.abs(total) >= seen) extreme++;
    if (i === assignments) return extreme / assignments;
    const place = 31 - Math.clz32(i & -i);
    signs[place] = -signs[place];
    total += 2 * signs[place] * sizes[place];
  }
}

function drawnShare(sizes: readonly number[], seen: number, draws: number, seed: number): number {
  const random = createRandom(`randomisation/${seed}`);
  let extreme = 0;
  for (let draw = 0; draw < draws; draw++) {
    let total = 0;
    let bits = 0;
    for (let i = 0; i < sizes.length; i++) {
      if (i % 32 === 0) bits = random.integer(2 ** 32);
      total += bits & (1 << (i % 32)) ? sizes[i] : -sizes[i];
    }
    if (Math.abs(total) >= seen) extreme++;
  }
  return (extreme + 1) / (draws + 1);
}

export interface BootstrapOptions {
  /** Default .95. */
  readonly level?: number;
  /** Default 10,000. */
  readonly samples?: number;
  /** Default 0. */
  readonly seed?: number;
}

export type Interval = readonly [low: number, high: number];

/**
 * Bootstrap percentile interval of the mean (Efron, 1979): queries are drawn with replacement, as many as there are; quantiles
 * are interpolated linearly, as NumPy's.
 *
 * @param differences one per query; none gives [0, 0]
 */
export function bootstrapInterval(
  differences: readonly number[],
  { level = 0.95, samples = 10_000, seed = 0 }: BootstrapOptions = {},
): Interval {
  checkFinite(differences);
  const { length } = differences;
  if (length === 0) return [0, 0];
  const random = createRandom(`bootstrap/${seed}`);
  const means = new Float64Array(samples);
  for (let sample = 0; sample < samples; sample++) {
    let total = 0;
    for (let i = 0; i < length; i++) total += differences[random.integer(length)];
    means[sample] = total / length;
  }
  means.sort();
  return [quantile(means, (1 - level) / 2), quantile(means, (1 + level) / 2)];
}

/** Of ascending values, interpolated linearly. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const place = share * (ascending.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, ascending.length - 1);
  return ascending[below] + (place - below) * (ascending[above] - ascending[below]);
}

export interface Tally {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
}

/** How many differences are above, below and at 0. */
export function tally(differences: readonly number[]): Tally {
  checkFinite(differences);
  const wins = differences.filter((difference) => difference > rounding).length;
  const losses = differences.filter((difference) => difference < -rounding).length;
  return { wins, losses, ties: differences.length - wins - losses };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function checkFinite(differences: readonly number[]): void {
  const place = differences.findIndex((difference) => !Number.isFinite(difference));
  if (place >= 0)
    throw new SelfIndexError(
      'invalid-argument',
      `Difference ${place} is ${differences[place]}: every query of a comparison needs two finite figures.`,
      { details: { place } },
    );
}

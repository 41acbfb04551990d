import { SelfIndexError } from '../../base/errors.ts';

/**
 * Holm's correction for many comparisons (1979): the smallest of n values times n, the next times n − 1 and so on, never
 * below the one before and at most 1. Comparing the results with a level keeps the chance of any false alarm below it.
 *
 * @param values p-values in any order
 * @returns corrected values in the same order
 */
export function holm(values: readonly number[]): number[] {
  const wrong = values.find((p) => !(p >= 0 && p <= 1));
  if (wrong !== undefined)
    throw new SelfIndexError('invalid-argument', `A p-value lies between 0 and 1; ${wrong} does not.`);
  const order = values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
  const corrected = new Array<number>(values.length);
  let least = 0;
  order.forEach((place, rank) => {
    least = Math.max(least, Math.min(1, values[place] * (values.length - rank)));
    corrected[place] = least;
  });
  return corrected;
}

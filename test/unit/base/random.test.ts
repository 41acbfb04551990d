import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';

describe('createRandom', () => {
  it('gives the same sequence for the same seed and another for another', () => {
    const draw = (seed: string) => {
      const random = createRandom(seed);
      return Array.from({ length: 5 }, () => random.next());
    };
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  it('is uniform: a chi-squared test over 16 bins stays below the .999 quantile', () => {
    const random = createRandom(1);
    const bins = new Array<number>(16).fill(0);
    for (let i = 0; i < 16_000; i++) bins[random.integer(16)]++;
    const chiSquared = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquared).toBeLessThan(37.7); // 15 degrees of freedom
  });

  it('shuffles into a permutation and leaves its input alone', () => {
    const items = [1, 2, 3, 4, 5, 6, 7, 8];
    const shuffled = createRandom(2).shuffle(items);
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([...shuffled].sort()).toEqual(items);
    expect(shuffled).not.toEqual(items);
  });
});

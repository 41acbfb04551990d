import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inBatches } from '../../../src/backbone/batch-ranges.ts';

it('splits by rows and by padded tokens, in order', () => {
  expect(inBatches([5, 5, 5, 5, 5], 2, 100)).toEqual([
    [0, 2],
    [2, 4],
    [4, 5],
  ]);
  expect(inBatches([30, 30, 50, 10, 200, 10], 8, 100)).toEqual([
    [0, 2],
    [2, 4],
    [4, 5],
    [5, 6],
  ]);
  expect(inBatches([], 8, 100)).toEqual([]);
});

it('never lets one batch of requests change how another is split', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(lengths, lengths, (first, second) => {
      const alone = inBatches(second, 4, 100).map(([start, end]) => [start + 4, end + 4]);
      expect(inBatches([...first, ...second], 4, 100).filter(([start]) => start >= 4)).toEqual(alone);
    }),
  );
});

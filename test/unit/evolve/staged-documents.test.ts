import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partsOf, StagedDocuments } from '../../../src/evolve/remote/staged-documents.ts';

const document = (id: number, units: number) => ({ id: String(id), text: 'x'.repeat(units) });

it('parts documents without losing, doubling or moving one, and sends nothing that is empty', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 900_000 }), { maxLength: 12 }), (sizes) => {
      const documents = sizes.map((units, id) => document(id, units));
      const parts = partsOf(documents);
      expect(parts.flat()).toEqual(documents);
      for (const part of parts) {
        expect(part.length).toBeGreaterThan(0);
        const units = part.reduce((sum, { text }) => sum + text.length, 0);
        // One that is larger than a part goes alone.
        expect(units <= 500_000 || part.length === 1).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

it('sends no more than a thousand at once', () => {
  const documents = Array.from({ length: 2001 }, (_, id) => document(id, 1));
  expect(partsOf(documents).map((part) => part.length)).toEqual([1000, 1000, 1]);
});

it('keeps transfers apart and forgets them when they are over', () => {
  const staged = new StagedDocuments();
  const one = staged.open();
  const other = staged.open();
  staged.push(one, [document(1, 1)]);
  staged.push(other, [document(2, 1)]);
  staged.push(one, [document(3, 1)]);
  expect(staged.take(one).map(({ id }) => id)).toEqual(['1', '3']);
  expect(() => staged.take(one)).toThrow(/on their way/);
  staged.drop(other);
  expect(() => staged.push(other, [])).toThrow(/on their way/);
  const listed = staged.open(partsOf([document(4, 1)]));
  expect(staged.shift(listed)?.map(({ id }) => id)).toEqual(['4']);
  expect(staged.shift(listed)).toBeNull();
  expect(() => staged.shift(listed)).toThrow(/on their way/);
});

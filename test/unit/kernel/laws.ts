import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { VectorKernel } from '../../../src/kernel/types.ts';
import { answers, firstDifference, kinds, vectorsOf, type Case } from './cases.ts';

export type Maker = (dimensions: number) => Promise<VectorKernel>;

const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(),
  dimensions: fc.constantFrom(1, 3, 15, 16, 17, 63, 64, 65, 100, 128, 384),
  rows: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(1, 31, 32, 33, 1023, 1024, 1025, 2100)),
  queries: fc.constantFrom(1, 2, 3, 4, 5, 9),
  k: fc.constantFrom(1, 2, 10, 30, 400),
  kind: fc.constantFrom(...kinds),
  queryKind: fc.constantFrom(...kinds),
  removed: fc.constantFrom(0, 0, 0.1, 0.9, 3),
  filtered: fc.boolean(),
});

/** What every kernel must do; `runs` property cases. */
export function kernelLaws(name: string, make: Maker, runs: number): void {
  describe(name, () => {
    it('gives the answers of the reference, bit for bit, on random and hostile rows', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (test) => {
          const kernel = await make(test.dimensions);
          expect(firstDifference(answers(kernel, test), referenceAnswers(test))).toBeUndefined();
          kernel.dispose();
        }),
        { numRuns: runs },
      );
    });

    it('gives them for more queries than one block holds, and for more rows than a buffer', async () => {
      const test: Case = {
        seed: 5,
        dimensions: 40,
        rows: 3000,
        queries: 131,
        k: 30,
        kind: 'normalised',
        queryKind: 'normalised',
        removed: 0.05,
        filtered: false,
      };
      expect(firstDifference(answers(await make(40), test), referenceAnswers(test))).toBeUndefined();
    });

    it('gives the best of long lists of candidates, with repetitions and removed rows', async () => {
      const random = createRandom('long lists');
      const vectors = vectorsOf('normalised', 3000, 33, random);
      const queries = vectorsOf('normalised', 7, 33, random);
      const listed = Uint32Array.from({ length: 2500 }, () => random.integer(3000));
      const gone = Array.from({ length: 900 }, () => random.integer(3000));
      const [best, expected] = [await make(33), createReferenceKernel(33)].map((kernel) => {
        kernel.add(vectors);
        kernel.remove(gone);
        const some = kernel.maximum(queries, listed);
        kernel.remove(Array.from(listed));
        return [some, kernel.maximum(queries, listed)];
      });
      expect(best).toEqual(expected);
      expect(best[1]).toEqual(new Float32Array(7).fill(-Infinity));
    });

    it('refuses vectors without a score and is left as it was', async () => {
      const kernel = await make(100);
      const random = createRandom('refused');
      const good = vectorsOf('normalised', 1500, 100, random);
      kernel.add(good);
      const before = kernel.topK(good.subarray(0, 300), 5);
      for (const bad of [NaN, Infinity, -Infinity, 3e19]) {
        const vectors = vectorsOf('normalised', 1100, 100, random);
        vectors[1099 * 100 + 57] = bad;
        expect(codeOf(() => kernel.add(vectors))).toBe('invalid-argument');
        expect(codeOf(() => kernel.topK(vectors.subarray(1098 * 100), 1))).toBe('invalid-argument');
      }
      expect(codeOf(() => kernel.add(good.subarray(1)))).toBe('invalid-argument');
      expect(codeOf(() => kernel.remove([0, 1500]))).toBe('invalid-argument');
      expect([kernel.length, kernel.live]).toEqual([1500, 1500]);
      expect(kernel.topK(good.subarray(0, 300), 5)).toEqual(before);
    });

    it('finds nothing in nothing', async () => {
      const kernel = await make(8);
      const query = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
      expect(kernel.topK(query, 3).counts).toEqual(Uint32Array.of(0));
      expect(kernel.topDocuments(query, 3, 0.5).counts).toEqual(Uint32Array.of(0));
      expect(kernel.topK(new Float32Array(0), 3).counts).toEqual(new Uint32Array(0));
      expect(kernel.add(new Float32Array(0))).toBe(0);
    });
  });
}

const referenceAnswers = (test: Case) => answers(createReferenceKernel(test.dimensions), test);

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error instanceof SelfIndexError ? error.code : error;
  }
  return 'nothing was thrown';
}

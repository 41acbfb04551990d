import { describe, expect, it } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { aggregateScore } from '../../../src/kernel/canonical.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';

const vectors = (...rows: number[][]) => Float32Array.from(rows.flat());
const code = (action: () => unknown) => {
  try {
    action();
  } catch (error) {
    return error instanceof SelfIndexError ? error.code : error;
  }
  return 'nothing was thrown';
};

describe('reference kernel', () => {
  it('ranks by inner product, ties by lowest row', () => {
    const kernel = createReferenceKernel(2);
    kernel.add(vectors([1, 0], [0, 1], [1, 0], [0.5, 0.5]));
    const { counts, rows, scores } = kernel.topK(vectors([1, 0], [0, 2]), 3);
    expect([...counts]).toEqual([3, 3]);
    expect([...rows]).toEqual([0, 2, 3, 1, 3, 0]);
    expect([...scores]).toEqual([1, 1, 0.5, 2, 1, 0]);
  });

  it('returns what there is when k exceeds it, and passes over removed and inadmissible rows', () => {
    const kernel = createReferenceKernel(1);
    kernel.add(vectors([1], [2], [3]));
    kernel.remove([2]);
    expect([...kernel.topK(vectors([1]), 5).counts]).toEqual([2]);
    expect(kernel.topK(vectors([1]), 1).rows[0]).toBe(1);
    expect(kernel.topK(vectors([1]), 1, Uint32Array.of(0b101)).rows[0]).toBe(0);
    expect(kernel.topK(vectors([1]), 1, new Uint32Array(0)).counts[0]).toBe(0);
    expect([...kernel.pairs(vectors([2]), Uint32Array.of(0, 2))]).toEqual([2, -Infinity]);
    expect([...kernel.maximum(vectors([2], [-1]), Uint32Array.of(0, 1))]).toEqual([4, -1]);
    expect([...kernel.maximum(vectors([2]), new Uint32Array(0))]).toEqual([-Infinity]);
    expect([kernel.length, kernel.live]).toEqual([3, 2]);
  });

  it('counts the other rows that score at least as high as the own row', () => {
    const kernel = createReferenceKernel(1);
    kernel.add(vectors([1], [2], [2], [3]));
    expect([...kernel.rankCounts(vectors([1], [-1]), Uint32Array.of(1, 0))]).toEqual([2, 0]);
    expect([...kernel.rankCounts(vectors([1]), Uint32Array.of(1), Uint32Array.of(0b0111))]).toEqual([1]);
  });

  it('aggregates the keys of a document', () => {
    const kernel = createReferenceKernel(1);
    const documents = Uint32Array.of(7, 7, 7, 3, 5);
    const originals = Uint8Array.of(1, 0, 0, 1, 0);
    kernel.add(vectors([0.5], [1], [0.25], [0.625], [0.125]), { documents, originals });
    kernel.add(vectors([100]));
    const paper = kernel.topDocuments(vectors([1]), 2, 1);
    expect([...paper.documents]).toEqual([7, 3]);
    expect([...paper.scores]).toEqual([1, 0.625]);
    expect([...paper.rows]).toEqual([1, 3]);
    const blend = kernel.topDocuments(vectors([1]), 3, 0.5);
    expect([...blend.documents]).toEqual([7, 3, 5]);
    expect([...blend.scores]).toEqual([0.75, 0.625, 0.125]);
    expect([...blend.originals]).toEqual([0.5, 0.625, -Infinity]);
    expect([...blend.generated]).toEqual([1, -Infinity, 0.125]);
    expect(aggregateScore(0.5, 0.25, 0.5)).toBe(0.5);
  });

  it('refuses what it cannot score, and then has changed nothing', () => {
    const kernel = createReferenceKernel(2);
    kernel.add(vectors([1, 0]));
    for (const bad of [NaN, Infinity, -Infinity, 2e19]) {
      expect(code(() => kernel.add(vectors([0, 1], [bad, 0])))).toBe('invalid-argument');
      expect(code(() => kernel.topK(vectors([0, bad]), 1))).toBe('invalid-argument');
    }
    expect(code(() => kernel.add(Float32Array.of(1)))).toBe('invalid-argument');
    expect(code(() => kernel.remove([0, 1]))).toBe('invalid-argument');
    expect(code(() => kernel.topK(vectors([1, 0]), 0))).toBe('invalid-argument');
    expect(code(() => kernel.pairs(vectors([1, 0]), Uint32Array.of(9)))).toBe('invalid-argument');
    expect(code(() => kernel.rankCounts(vectors([1, 0]), new Uint32Array(0)))).toBe('invalid-argument');
    expect(code(() => kernel.topDocuments(vectors([1, 0]), 1, 2))).toBe('invalid-argument');
    expect(code(() => createReferenceKernel(0))).toBe('invalid-argument');
    expect([kernel.length, kernel.live]).toEqual([1, 1]);
  });
});

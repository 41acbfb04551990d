import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import type { CompactKernel } from '../../../src/kernel/compact-kernel.ts';
import { createCompactKernel } from '../../../src/kernel/create.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { VectorKernel } from '../../../src/kernel/types.ts';
import { labelsOf, vectorsOf, type Kind } from './cases.ts';

const dimensions = 70;
const rows = 2500;

interface Both {
  readonly compact: CompactKernel;
  readonly reference: VectorKernel;
  readonly queries: Float32Array;
  readonly admissible: Uint32Array;
  /** Rows that the source was asked for. */
  readonly read: { count: number };
}

/** The same rows in a compact kernel, over a source in memory, and in the reference. */
async function both(format: 'int8' | 'int4', kind: Kind = 'normalised'): Promise<Both> {
  const random = createRandom(`compact ${kind}`);
  const vectors = vectorsOf(kind, rows, dimensions, random);
  const read = { count: 0 };
  const compact = await createCompactKernel(dimensions, {
    format,
    source: {
      read: async (wanted) => {
        read.count += wanted.length;
        const found = new Float32Array(wanted.length * dimensions);
        wanted.forEach((row, i) => {
          found.set(vectors.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions);
        });
        return found;
      },
    },
  });
  const reference = createReferenceKernel(dimensions);
  const labels = labelsOf(rows, rows, random);
  const gone = Array.from({ length: 200 }, () => random.integer(rows));
  for (const kernel of [compact, reference]) {
    kernel.add(vectors, labels);
    kernel.remove(gone);
  }
  const queries = vectorsOf(kind, 20, dimensions, random);
  const admissible = Uint32Array.from({ length: 79 }, () => random.integer(2 ** 32));
  return { compact, reference, queries, admissible, read };
}

describe.each(['int8', 'int4'] as const)('compact kernel, %s', (format) => {
  it('gives canonical scores of listed rows', async () => {
    const { compact, reference, queries } = await both(format);
    const listed = Uint32Array.from({ length: 60 }, (_, i) => (i * 41) % rows);
    expect(await compact.pairs(queries, listed)).toEqual(reference.pairs(queries, listed));
    expect(await compact.maximum(queries, listed)).toEqual(reference.maximum(queries, listed));
    expect(await compact.maximum(queries, new Uint32Array(0))).toEqual(new Float32Array(20).fill(-Infinity));
  });

  it('counts ranks exactly', async () => {
    const { compact, reference, queries, admissible } = await both(format);
    const own = reference.topK(queries, 8).rows.filter((_, i) => i % 8 === 7);
    expect(await compact.rankCounts(queries, own)).toEqual(reference.rankCounts(queries, own));
    expect(await compact.rankCounts(queries, own, { admissible })).toEqual(
      reference.rankCounts(queries, own, admissible),
    );
  });

  it('says what it has proven, and what is proven is right', async () => {
    const { compact, reference, queries, admissible } = await both(format);
    for (const search of [{}, { admissible }]) {
      const { proven, ...found } = await compact.topK(queries, 10, search);
      const exact = reference.topK(queries, 10, search.admissible);
      proven.forEach((sure, q) => {
        if (!sure) return;
        expect(found.rows.subarray(q * 10, q * 10 + 10)).toEqual(exact.rows.subarray(q * 10, q * 10 + 10));
      });
    }
  });

  it('takes less memory than vectors do', async () => {
    const { compact } = await both(format);
    expect(compact.bytes).toBeLessThan(rows * dimensions * 4);
  });

  it('refuses bad vectors, a source that gives too little, and stops when told', async () => {
    const { compact, queries } = await both(format);
    const bad = new Float32Array(dimensions).fill(NaN);
    expect(() => compact.add(bad)).toThrow(/vector 0/);
    await expect(compact.topK(bad, 1)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(compact.topK(queries, 1, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    const source = { read: async () => new Float32Array(1) };
    const empty = await createCompactKernel(dimensions, { format, source });
    empty.add(queries);
    await expect(empty.topK(queries, 1)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('compact kernel, int8', () => {
  it.each(['normalised', 'ties', 'one outlier', 'zeros'] as const)(
    'answers as the reference does: %s',
    async (kind) => {
      const { compact, reference, queries, admissible, read } = await both('int8', kind);
      for (const search of [{}, { admissible }]) {
        const { proven, ...found } = await compact.topK(queries, 10, search);
        expect(found).toEqual(reference.topK(queries, 10, search.admissible));
        const { proven: sure, ...documents } = await compact.topDocuments(queries, 10, 0.5, search);
        expect(documents).toEqual(reference.topDocuments(queries, 10, 0.5, search.admissible));
        if (kind !== 'normalised') continue;
        expect([...proven, ...sure]).toEqual(new Array(40).fill(1));
      }
      if (kind === 'normalised') expect(read.count).toBeLessThan(20 * rows);
    },
  );
});

describe('compact kernel, int4', () => {
  it('finds nearly all, scored exactly', async () => {
    const { compact, reference, queries } = await both('int4');
    const found = await compact.topK(queries, 10);
    const exact = reference.topK(queries, 10);
    const wanted = new Map(
      Array.from(exact.rows, (row, i) => [`${Math.floor(i / 10)} ${row}`, exact.scores[i]]),
    );
    let hits = 0;
    found.rows.forEach((row, i) => {
      const score = wanted.get(`${Math.floor(i / 10)} ${row}`);
      if (score === undefined) return;
      hits++;
      expect(found.scores[i]).toBe(score);
    });
    expect(hits).toBeGreaterThanOrEqual(196);
  });
});

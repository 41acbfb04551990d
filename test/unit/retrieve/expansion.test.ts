import { describe, expect, it } from 'vitest';
import { expansionKeys } from '../../../src/retrieve/expansion.ts';
import { expansionTerms, makeOriginalKey } from '../../../src/keys/key-id.ts';
import { compareIds } from '../../../src/base/order.ts';
import { ReferenceBm25, wordAnalyser } from './reference.ts';

const words = [
  'river',
  'warm',
  'cold',
  'cat',
  'fish',
  'wind',
  'sleep',
  'swim',
  'stone',
  'light',
  'deep',
  'old',
];
const documents = Array.from({ length: 30 }, (_, i) => ({
  id: `d${i}`,
  text: Array.from(
    { length: 3 + (i % 9) },
    (_, w) => words[(i * 5 + w * w * (1 + (i % 3))) % words.length],
  ).join(' '),
}));

/** idf × weighted mean of ln(1 + tf) of every term in the neighbours, as design.md §5 says it. */
function referenceValues(id: string, neighbours: number): Map<string, number> {
  const keys = documents.map(makeOriginalKey);
  const reference = new ReferenceBm25(keys);
  const text = documents.find((document) => document.id === id)?.text ?? '';
  const near = keys
    .filter((key) => key.documentId !== id)
    .map((key) => ({ key, score: reference.rel(text, key) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareIds(a.key.documentId, b.key.documentId))
    .slice(0, neighbours);
  const total = near.reduce((sum, { score }) => sum + score, 0);
  const values = new Map<string, number>();
  for (const { key, score } of near) {
    for (const [term, count] of reference.frequencies(key)) {
      const value = (score / total) * Math.log(1 + count) * reference.idf(term);
      values.set(term, (values.get(term) ?? 0) + value);
    }
  }
  return values;
}

describe('expansionKeys', () => {
  it.each([
    [10, 40],
    [3, 5],
  ])('takes from %i neighbours the %i most telling terms', async (neighbours, terms) => {
    const keys = await expansionKeys(documents, wordAnalyser, { neighbours, terms });
    for (const { id } of documents) {
      const key = keys.get(id);
      expect(key).toMatchObject({ kind: 'expansion', documentId: id, origin: { by: 'expansion' } });
      const values = referenceValues(id, neighbours);
      const taken = expansionTerms(key?.text ?? '').map((term) => values.get(term));
      const best = [...values.values()].sort((a, b) => b - a).slice(0, terms);
      expect(taken).toEqual(best.map((value) => expect.closeTo(value, 5) as number));
    }
  });

  it('gives none to a document that resembles no other', async () => {
    const keys = await expansionKeys([{ id: 'alone', text: 'zebra' }, ...documents], wordAnalyser);
    expect(keys.has('alone')).toBe(false);
    expect(keys.size).toBe(documents.length);
    expect((await expansionKeys([], wordAnalyser)).size).toBe(0);
  });

  it('rejects with the reason of its signal', async () => {
    await expect(expansionKeys(documents, wordAnalyser, {}, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

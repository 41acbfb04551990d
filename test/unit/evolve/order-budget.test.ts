import { describe, expect, it } from 'vitest';
import { exhausted, secondsLeft } from '../../../src/evolve/budget.ts';
import { expectedGain, orderRecords } from '../../../src/evolve/order.ts';
import { makeOriginalKey } from '../../../src/keys/key-id.ts';
import type { FeedbackRecord } from '../../../src/keys/types.ts';

function record(documentId: string, ownRanks: number[], missed = 0): FeedbackRecord {
  const original = makeOriginalKey({ id: documentId, text: documentId });
  const query = (i: number) => ({
    id: `${documentId}-${i}`,
    text: 'q',
    kind: 'simulated' as const,
    sourceDocumentId: documentId,
  });
  return {
    documentId,
    text: documentId,
    keys: { documentId, original, generated: [] },
    profiles: [],
    rows: ownRanks.map((rank, i) => ({
      query: query(i),
      keyId: original.id,
      rank,
      score: 1,
      documentRank: rank,
    })),
    missed: Array.from({ length: missed }, (_, i) => query(100 + i)),
  };
}

describe('expectedGain', () => {
  it('is what nDCG has left to win: 0 at rank 1, 1 − 1/log2(rank + 1) below, 1 when missed', () => {
    expect(expectedGain(record('a', [1]))).toBe(0);
    expect(expectedGain(record('a', [3]))).toBeCloseTo(1 - 1 / 2, 12);
    expect(expectedGain(record('a', [1], 2))).toBe(2);
  });

  it('halves with every visit that led nowhere', () => {
    expect(expectedGain(record('a', [3]), { visits: 3, acceptances: 1 })).toBeCloseTo(0.125, 12);
  });
});

describe('orderRecords', () => {
  const records = [record('a', [1]), record('b', [3]), record('c', [3]), record('d', [30])];

  it('paper: every record as it comes; gain: the most to win first, ties by id', () => {
    const ids = (order: 'paper' | 'gain') => orderRecords(records, order, new Map()).map((r) => r.documentId);
    expect(ids('paper')).toEqual(['a', 'b', 'c', 'd']);
    expect(ids('gain')).toEqual(['d', 'b', 'c', 'a']);
  });
});

describe('budget', () => {
  const spent = { calls: 10, inputTokens: 900, outputTokens: 100, milliseconds: 60_000 };

  it('names the first bound that is reached', () => {
    expect(exhausted({}, spent)).toBeUndefined();
    expect(exhausted({ calls: 11, tokens: 1001, minutes: 1.1 }, spent)).toBeUndefined();
    expect(exhausted({ calls: 10 }, spent)).toBe('calls');
    expect(exhausted({ tokens: 1000 }, spent)).toBe('tokens');
    expect(exhausted({ minutes: 1 }, spent)).toBe('minutes');
  });

  it('estimates by pace, and never beyond the minutes that are left', () => {
    expect(secondsLeft(0, 10, 0, undefined, 0)).toBeNull();
    expect(secondsLeft(2, 10, 4000, undefined, 4000)).toBe(16);
    expect(secondsLeft(2, 10, 4000, { minutes: 0.1 }, 4000)).toBe(2);
  });
});

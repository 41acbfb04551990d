import { describe, expect, it } from 'vitest';
import { guardReport, meanGain, shortened, worseQueries } from '../../../src/evolve/guard.ts';
import { keySetsAt } from '../../../src/keys/lifetimes.ts';
import type { EvolutionQuery } from '../../../src/keys/types.ts';
import type { DocumentHit } from '../../../src/retrieve/types.ts';

const documents = ['a', 'b', 'c'].map((id) => ({ id, text: `text of ${id}` }));
const keySets = keySetsAt([], documents, 0);
const ranking = (...ids: string[]): DocumentHit[] =>
  ids.map((documentId, i) => ({
    documentId,
    score: 10 - i,
    rank: i + 1,
    keyId: keySets.get(documentId)!.original.id,
    components: {},
  }));
const heldOut: EvolutionQuery[] = [
  { id: '1', text: 'one', kind: 'simulated', sourceDocumentId: 'a' },
  { id: '2', text: 'two', kind: 'simulated', sourceDocumentId: 'b' },
];

describe('guard', () => {
  it('measures mean nDCG@10 of the one source document', () => {
    // a at rank 1 → 1; b at rank 3 → 1/log2(4) = .5
    expect(meanGain(heldOut, [ranking('a', 'b'), ranking('a', 'c', 'b')])).toBe(0.75);
    expect(meanGain(heldOut, [ranking('b'), []])).toBe(0);
    expect(meanGain([], [])).toBe(0);
  });

  it('holds within the tolerance and not beyond', () => {
    expect(guardReport(heldOut, 0.5, 0.496, 0.005, []).held).toBe(true);
    expect(guardReport(heldOut, 0.5, 0.494, 0.005, []).held).toBe(false);
  });

  it('shortens a query to every other of its words and to the rest, and leaves one word alone', () => {
    const query = (text: string) => ({ ...heldOut[0], text });
    expect(shortened([query('How do I rise, dough?'), query('yeast')])).toEqual([
      { id: '1/0', text: 'How I dough', kind: 'simulated', sourceDocumentId: 'a' },
      { id: '1/1', text: 'do rise', kind: 'simulated', sourceDocumentId: 'a' },
    ]);
    expect(shortened([query('發酵麵團')]).map(({ text }) => text)).toEqual(['發酵', '麵團']);
  });

  it('lists what got worse, the largest loss first, with what overtook it and by which key', () => {
    const before = [ranking('a', 'b'), ranking('b', 'a')];
    const after = [ranking('c', 'a', 'b'), ranking('c', 'a')];
    const worse = worseQueries(heldOut, before, after, keySets);
    expect(
      worse.map((w) => [w.query, w.before, w.after, w.overtakenBy?.documentId, w.overtakenBy?.keyText]),
    ).toEqual([
      ['two', 1, 0, 'c', 'text of c'],
      ['one', 1, 2, 'c', 'text of c'],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { competingKeys } from '../../../src/evolve/competitors.ts';
import { collectFeedback } from '../../../src/evolve/feedback.ts';
import { makeGeneratedKey } from '../../../src/keys/key-id.ts';
import { keySetsAt } from '../../../src/keys/lifetimes.ts';
import { wholeKeySet } from '../../../src/keys/types.ts';
import type { EvolutionQuery, KeyRecord } from '../../../src/keys/types.ts';
import type { KeyHit } from '../../../src/retrieve/types.ts';

const documents = ['a', 'b', 'c'].map((id) => ({ id, text: `text of ${id}` }));
const second = makeGeneratedKey('a', { text: 'another way to say a', form: 'question' }, { by: 'reviser' });
const records: KeyRecord[] = [{ ...second, born: 1, died: null }];
const keySets = keySetsAt(records, documents, 1);
const snapshot = { documents: new Map(documents.map((d) => [d.id, d])), keySets };
const original = (id: string) => keySets.get(id)!.original.id;
const hit = (documentId: string, keyId: string, score: number): KeyHit => ({ documentId, keyId, score });

const queries: EvolutionQuery[] = [
  { id: 'q1', text: 'first', kind: 'simulated', sourceDocumentId: 'a' },
  { id: 'q2', text: 'second', kind: 'simulated', sourceDocumentId: 'c' },
];
// q1: b, a (original), a (second)   q2: a (second), b
const hits = [
  [hit('b', original('b'), 3), hit('a', original('a'), 2), hit('a', second.id, 1)],
  [hit('a', second.id, 5), hit('b', original('b'), 4)],
];

describe('collectFeedback (Algorithm 2)', async () => {
  const feedback = await collectFeedback(queries, hits, snapshot);
  const [a, b] = feedback;

  it('makes one record per document with a retrieved key, in order of id', () => {
    expect(feedback.map((record) => record.documentId)).toEqual(['a', 'b']);
  });

  it('lists every retrieval of a key of the document, with key rank and document rank', () => {
    expect(a.rows.map((row) => [row.query.id, row.keyId, row.rank, row.documentRank])).toEqual([
      ['q1', original('a'), 2, 2],
      ['q1', second.id, 3, 2],
      ['q2', second.id, 1, 1],
    ]);
    expect(b.rows.map((row) => [row.query.id, row.rank, row.documentRank])).toEqual([
      ['q1', 1, 1],
      ['q2', 2, 2],
    ]);
  });

  it('counts keys of other documents alone in a co-retrieval profile, once per query', () => {
    const profile = (record: typeof a, keyId: string) =>
      record.profiles.find((p) => p.keyId === keyId)?.with.map((w) => [w.keyId, w.count]);
    expect(profile(a, original('a'))).toEqual([[original('b'), 1]]);
    expect(profile(a, second.id)).toEqual([[original('b'), 2]]);
    expect(profile(b, original('b'))).toEqual([
      [second.id, 2],
      [original('a'), 1],
    ]);
  });

  it('gives a document that its own query missed a record only when asked', async () => {
    const withMissed = await collectFeedback(queries, hits, snapshot, { withMissed: true });
    expect(withMissed.map((record) => record.documentId)).toEqual(['a', 'b', 'c']);
    expect(withMissed[2].missed.map((query) => query.id)).toEqual(['q2']);
    expect(withMissed[2].profiles[0].with).toEqual([]);
  });

  it('leaves out documents that are not in the snapshot', async () => {
    expect(await collectFeedback(queries, [[hit('gone', 'gone#1', 1)], []], snapshot)).toEqual([]);
  });
});

describe('competingKeys (C_d)', async () => {
  const [a, b] = await collectFeedback(queries, hits, snapshot);

  it('is the support of the diagnosed keys alone', () => {
    const diagnosis = { shortfalls: [{ key: original('a'), cause: '' }], revision: '' };
    expect(competingKeys(a, diagnosis).map((c) => [c.keyId, c.count])).toEqual([[original('b'), 1]]);
    expect(competingKeys(a, { shortfalls: [{ key: 'unknown', cause: '' }], revision: '' })).toEqual([]);
  });

  it('is the union over all current keys when the whole set is diagnosed, most often co-retrieved first', () => {
    const diagnosis = { shortfalls: [{ key: wholeKeySet, cause: '' }], revision: '' };
    expect(competingKeys(a, diagnosis).map((c) => [c.keyId, c.count])).toEqual([[original('b'), 2]]);
    expect(competingKeys(b, diagnosis).map((c) => c.keyId)).toEqual([second.id, original('a')]);
  });
});

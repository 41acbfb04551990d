import { describe, expect, it } from 'vitest';
import type { KeyHistory } from '../../../src/evolve/types.ts';
import type { IndexKey, Revision } from '../../../src/keys/types.ts';
import { analyseFalls, countCauses, type JudgedRankings } from '../../../src/lab/failures/analyse.ts';
import { failureReport, keyStory } from '../../../src/lab/failures/stories.ts';
import type { DocumentHit } from '../../../src/retrieve/types.ts';

const blend = { blend: 0.5, boost: 0.2 };

interface Parts {
  readonly o: number;
  readonly g?: number;
  readonly e?: number;
}

/** A ranking whose scores follow from their parts: o + .5·max(0, g − o) + .2·e. */
function ranking(documents: Readonly<Record<string, Parts>>): DocumentHit[] {
  return Object.entries(documents).map(([documentId, { o, g = 0, e = 0 }], i) => {
    const score = o + 0.5 * Math.max(0, g - o) + 0.2 * e;
    return {
      documentId,
      score,
      rank: i + 1,
      keyId: g > o ? `${documentId}-g` : `${documentId}-o`,
      components: { bm25: { score, rank: i + 1, original: o, generated: g, expansion: e } },
    };
  });
}

const judged = (more: Partial<JudgedRankings>): JudgedRankings => ({
  id: 'q',
  text: 'a search',
  judgements: new Map([['good', 1]]),
  before: [],
  after: [],
  ...more,
});

describe('analyseFalls', () => {
  it('names the key that lifted what overtook', () => {
    const before = ranking({ good: { o: 5 }, rival: { o: 4 }, other: { o: 3 } });
    // rival: 4 + .5 · 4 = 6; good stays at 5
    const byKey = ranking({ rival: { o: 4, g: 8 }, good: { o: 5 }, other: { o: 3 } });
    // other: 3 + .2 · 15 = 6
    const byExpansion = ranking({ other: { o: 3, e: 15 }, good: { o: 5 }, rival: { o: 4 } });
    // rival: 4 + .5 · 1 + .2 · 10 = 6.5: of the lifts .5 and 2 the second
    const byBoth = ranking({ rival: { o: 4, g: 5, e: 10 }, good: { o: 5 }, other: { o: 3 } });
    const { worse, left } = analyseFalls(
      [byKey, byExpansion, byBoth].map((after, i) => judged({ id: `q${i}`, before, after })),
      blend,
    );
    expect(left).toEqual([]);
    expect(worse).toEqual(
      (
        [
          ['q0', 'generated key', { documentId: 'rival', ranks: [2, 1], keyId: 'rival-g' }],
          ['q1', 'expansion key', { documentId: 'other', ranks: [3, 1], keyId: 'other-o' }],
          ['q2', 'expansion key', { documentId: 'rival', ranks: [2, 1], keyId: 'rival-g' }],
        ] as const
      ).map(([queryId, cause, overtakenBy]) => ({
        queryId,
        query: 'a search',
        ndcg: [1, 1 / Math.log2(3)],
        documentId: 'good',
        ranks: [1, 2],
        cause,
        overtakenBy,
      })),
    );
    expect(countCauses(worse)).toEqual({
      'generated key': 1,
      'expansion key': 2,
      'key lost': 0,
      'another relevant': 0,
      'no key': 0,
    });
  });

  it('knows a document that lost a key, and a change without a key', () => {
    const before = ranking({ good: { o: 4, g: 8 }, rival: { o: 5 } });
    const lost = ranking({ rival: { o: 5 }, good: { o: 4 } });
    const shifted = ranking({ rival: { o: 5 }, good: { o: 4, g: 8 } });
    const { worse } = analyseFalls(
      [judged({ before, after: lost }), judged({ before, after: shifted })],
      blend,
    );
    expect(worse.map(({ cause }) => cause)).toEqual(['key lost', 'no key']);
  });

  it('under max counts a generated key alone', () => {
    const before = ranking({ good: { o: 5 }, rival: { o: 4 } });
    const after = ranking({ rival: { o: 4, g: 6, e: 100 }, good: { o: 5 } });
    expect(analyseFalls([judged({ before, after })], 'max').worse[0].cause).toBe('generated key');
  });

  it('lists the largest loss first and, in a query, the document that lost the most', () => {
    const plain = (...ids: string[]) => ranking(Object.fromEntries(ids.map((id) => [id, { o: 1 }])));
    const judgements = new Map([
      ['a', 1],
      ['b', 2],
    ]);
    const { worse } = analyseFalls(
      [
        // a 1 → 3: 1 − .5; b stays
        judged({ id: 'small', judgements, before: plain('a', 'b', 'x'), after: plain('x', 'b', 'a') }),
        // b 1 → 2, two of gain: 2 · (1 − .63) = .74; a 2 → 3: .63 − .5 = .13
        judged({ id: 'large', judgements, before: plain('b', 'a', 'x'), after: plain('x', 'b', 'a') }),
        judged({ id: 'same', judgements, before: plain('a', 'x'), after: plain('a', 'y') }),
      ],
      blend,
    );
    expect(worse.map(({ queryId, documentId }) => [queryId, documentId])).toEqual([
      ['large', 'b'],
      ['small', 'a'],
    ]);
  });

  it('lists what left the first ten, also where the query did not get worse', () => {
    const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const plain = (...names: string[]) => ranking(Object.fromEntries(names.map((id) => [id, { o: 1 }])));
    const judgements = new Map([
      ['good', 1],
      ['better', 1],
    ]);
    const before = plain(...ids('x', 8), 'better', 'good');
    const after = plain('better', ...ids('x', 8), 'new', 'good');
    const { worse, left } = analyseFalls([judged({ judgements, before, after })], blend);
    expect(worse).toEqual([]);
    expect(
      left.map(({ documentId, ranks, overtakenBy }) => [documentId, ranks, overtakenBy?.documentId]),
    ).toEqual([['good', [10, 11], 'new']]);
    expect(left[0].cause).toBe('no key');
    const replaced = plain('better', ...ids('x', 8), 'third', 'good');
    const more = new Map([...judgements, ['third', 1]]);
    const [fall] = analyseFalls([judged({ judgements: more, before, after: replaced })], blend).left;
    expect([fall.documentId, fall.cause, fall.overtakenBy]).toEqual(['good', 'another relevant', undefined]);
    const gone = analyseFalls([judged({ judgements, before, after: plain('better') })], blend);
    expect(gone.left[0]).toMatchObject({ documentId: 'good', ranks: [10, 0] });
    expect(gone.left[0]).not.toHaveProperty('overtakenBy');
  });
});

describe('the story of a key', () => {
  const key = (kind: 'generated' | 'expansion', id: string, text: string): IndexKey => ({
    id,
    documentId: 'rival',
    kind,
    text,
    origin: kind === 'expansion' ? { by: 'expansion', form: 'terms' } : { by: 'reviser', form: 'question' },
  });
  const generated = key('generated', 'rival-g', 'why is it so?');
  const expansion = key('expansion', 'rival-e', 'loaf '.repeat(60).trim());
  const passed = {
    specificity: { rivals: 3, passed: true },
    separation: { before: 2, after: 1, passed: true },
    faithfulness: { score: 2 as const, passed: true },
  };
  const revision: Revision = {
    id: 'r',
    runId: 'run',
    iteration: 1,
    documentId: 'rival',
    version: 2,
    diagnosis: null,
    verdicts: [{ keyId: 'rival-g', text: '', form: 'question', isNew: true, ...passed, passed: true }],
    accepted: true,
    stale: [],
    evidence: [],
    after: [generated],
  };
  const history: KeyHistory = {
    records: [
      { ...generated, born: 2, died: null },
      { ...expansion, born: 1, died: null },
    ],
    revisions: [revision],
  };
  const overtakenBy = { documentId: 'rival', ranks: [2, 1] as const, keyId: 'rival-g' };

  it('says what it is, when it came and what let it through', () => {
    const keys = [generated, expansion];
    expect(keyStory({ cause: 'generated key', overtakenBy }, keys, history)).toEqual({
      kind: 'generated',
      text: 'why is it so?',
      by: 'reviser',
      form: 'question',
      born: 2,
      verdict: passed,
    });
    const story = keyStory({ cause: 'expansion key', overtakenBy }, keys, history);
    expect(story).toMatchObject({ kind: 'expansion', by: 'expansion', born: 1 });
    expect(story?.text).toHaveLength(201);
    expect(story).not.toHaveProperty('verdict');
    expect(keyStory({ cause: 'no key', overtakenBy }, keys, history)).toBeUndefined();
  });

  it('stands in the report beside the counts', async () => {
    const before = ranking({ good: { o: 5 }, rival: { o: 4 } });
    const after = ranking({ rival: { o: 4, g: 8 }, good: { o: 5 } });
    const report = await failureReport(analyseFalls([judged({ before, after })], blend), {
      keys: async () => [generated, expansion],
      history: async () => history,
    });
    expect(report.worse['generated key']).toBe(1);
    expect(report.worst[0].key?.text).toBe('why is it so?');
    expect(report.lost).toEqual([]);
  });
});

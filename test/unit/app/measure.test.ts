import { describe, expect, it } from 'vitest';
import { compareVersions, measureVersion, noteRanking, untaught } from '../../../src/app/quality/measure.ts';
import type { SelfIndex } from '../../../src/evolve/types.ts';
import type { DocumentHit } from '../../../src/retrieve/types.ts';

const hits = (...ids: string[]): DocumentHit[] =>
  ids.map((documentId, i) => ({ documentId, score: -i, rank: i + 1, keyId: documentId, components: {} }));
const noteOf = (id: string) => id.split('#')[0];
/** All that measuring asks of an index. */
const indexOf = (rankings: DocumentHit[][]) => ({ rankings: async () => rankings }) as unknown as SelfIndex;

describe('measuring by notes', () => {
  it('puts a note where its best passage stands', () => {
    expect(noteRanking(hits('a#2', 'b#1', 'a#1', 'c#1', 'b#2'), noteOf)).toEqual(['a', 'b', 'c']);
  });

  it('gives nDCG@10 with linear gain and the rank of the best relevant note', async () => {
    const judged = [
      { query: 'one', relevant: new Map([['c', 3]]) },
      { query: 'two', relevant: new Map([['x', 1]]) },
    ];
    const index = indexOf([hits('a#1', 'a#2', 'b#1', 'c#1'), hits('a#1')]);
    const measured = await measureVersion(index, judged, noteOf, 4);
    // Third of three notes: 3/log2(4) over 3/log2(2).
    expect(measured.searches).toEqual([
      { query: 'one', ndcg: 0.5, rank: 3, reciprocal: 1 / 3 },
      { query: 'two', ndcg: 0, rank: 0, reciprocal: 0 },
    ]);
    expect(measured.ndcg).toBe(0.25);
    expect(measured.reciprocalRank).toBeCloseTo(1 / 6, 12);
    expect(measured.version).toBe(4);
  });

  it('lists the largest change first, whichever way it went', () => {
    const version = (ndcgs: number[]) => ({
      version: 0,
      ndcg: 0,
      reciprocalRank: 0,
      searches: ndcgs.map((ndcg, i) => ({ query: `q${i}`, ndcg, rank: 1, reciprocal: 1 })),
    });
    const compared = compareVersions(version([0.5, 0.9, 0.1]), version([0.6, 0.2, 0.1]));
    expect(compared.map(({ query }) => query)).toEqual(['q1', 'q0', 'q2']);
    expect(compared[0].change).toBeCloseTo(-0.7, 12);
  });

  it('leaves searches that taught out of every mean', () => {
    const search = (query: string, ndcg: number, reciprocal: number) => ({
      query,
      ndcg,
      reciprocal,
      rank: 1,
    });
    const searches = [search('a', 1, 1), search('b', 0.2, 0.5), search('c', 0.4, 0)];
    const all = { version: 3, ndcg: 0.5333, reciprocalRank: 0.5, searches };
    const left = untaught(all, (query) => query === 'a');
    expect(left.searches.map(({ query }) => query)).toEqual(['b', 'c']);
    expect(left.ndcg).toBeCloseTo(0.3, 12);
    expect(left.reciprocalRank).toBeCloseTo(0.25, 12);
    expect(untaught(all, () => true)).toMatchObject({ version: 3, ndcg: 0, searches: [] });
  });
});

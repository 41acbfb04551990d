import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import { makeOriginalKey } from '../../../src/keys/key-id.ts';
import { createRoundtripJudge } from '../../../src/roles/judges/roundtrip-judge.ts';
import { wordAnalyser } from '../retrieve/reference.ts';
import { simpleView } from './simple-view.ts';

const view = simpleView([]);

/** Says of every pair what the query spells: how many other documents are at least as good. */
const spelled = (size: number) => ({
  id: 'spelled',
  size,
  rivals: async (pairs: readonly { readonly query: string }[]) =>
    Uint32Array.from(pairs, ({ query }) => Number(query)),
});
const keys = (...texts: string[]) => texts.map((text) => ({ text, form: 'question' as const }));
const task = (...texts: string[]) => ({ documentId: 'd', documentText: '', keys: keys(...texts) });

test('rank to score: a tenth of r, r, three times r', async () => {
  const judge = createRoundtripJudge(spelled(1000));
  expect(judge.id).toBe('roundtrip(spelled r=30)');
  // Rivals 0, 2 | 3, 29 | 30, 89 | 90: ranks 1, 3 | 4, 30 | 31, 90 | 91.
  const [one, two] = await judge.faithfulness([task('0', '2', '3', '29'), task('30', '89', '90')], view);
  expect(one.ok && one.value.map(({ score }) => score)).toEqual([3, 3, 2, 2]);
  expect(two.ok && two.value.map(({ score }) => score)).toEqual([1, 1, 0]);
  expect(one.ok && one.value[3].reason).toBe(
    'As a search it finds its document at rank 30; 30 is needed to pass.',
  );
  expect(one.usage.calls).toBe(0);
});

test('searches are judged alike, and nothing is asked for nothing', async () => {
  const judge = createRoundtripJudge(spelled(1000), { depth: 5 });
  const pair = (query: string) => ({ documentId: 'd', documentText: '', query });
  expect(await judge.answerability(['0', '4', '5', '15'].map(pair), view)).toMatchObject(
    [3, 2, 1, 0].map((value) => ({ ok: true, value })),
  );
  expect(await judge.answerability([], view)).toEqual([]);
  expect(await judge.faithfulness([task()], view)).toMatchObject([{ ok: true, value: [] }]);
});

test('r is at most a tenth of the collection: among all of it every text would pass', () => {
  expect(createRoundtripJudge(spelled(232)).id).toContain('r=23');
  expect(createRoundtripJudge(spelled(5)).id).toContain('r=1');
  expect(createRoundtripJudge(spelled(5), { depth: 4 }).id).toContain('r=4');
  expect(() => createRoundtripJudge(spelled(5), { depth: 0 })).toThrow('above 0');
});

test('property: a better rank never scores lower', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2000), fc.nat(2000), fc.integer({ min: 1, max: 100 }), async (a, b, depth) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const judge = createRoundtripJudge(spelled(2001), { depth });
      const [outcome] = await judge.faithfulness([task(String(low), String(high))], view);
      const [better, worse] = outcome.ok ? outcome.value.map(({ score }) => score) : [];
      expect(better).toBeGreaterThanOrEqual(worse);
      expect(better >= 2).toBe(low + 1 <= depth);
    }),
  );
});

test('by BM25 over a real index: its own words find a document, foreign and unknown ones do not', async () => {
  const documents = Array.from({ length: 40 }, (_, i) => ({
    id: `d${i}`,
    text: i < 20 ? `oranges grow here, valley number${i}` : `trains leave at noon, platform number${i}`,
  }));
  const bm25 = await Bm25Retriever.create(documents.map(makeOriginalKey), { analyser: wordAnalyser });
  const judge = createRoundtripJudge({
    id: 'bm25',
    size: documents.length,
    rivals: (pairs, signal) => bm25.rivals(pairs, signal),
  });
  const [outcome] = await judge.faithfulness(
    [
      {
        documentId: 'd3',
        documentText: '',
        keys: keys('the valley number3', 'oranges', 'trains at noon', 'zebra'),
      },
    ],
    view,
  );
  // r = 4. All twenty orange documents tie; without a shared word all forty do.
  expect(outcome.ok && outcome.value.map(({ score, value }) => [score, value])).toEqual([
    [3, -1],
    [0, -20],
    [0, -40],
    [0, -40],
  ]);
  await expect(
    judge.answerability([{ documentId: 'gone', documentText: '', query: 'oranges' }], view),
  ).rejects.toMatchObject({ code: 'document-not-found' });
});

import { expect, test } from 'vitest';
import type { PairScorer, TextPair } from '../../../src/embed/pair-scorer.ts';
import {
  calibrateCrossEncoder,
  createCrossEncoderJudge,
  createNliJudge,
} from '../../../src/roles/judges/pair-judges.ts';
import { simpleView } from './simple-view.ts';

const view = simpleView([]);
const keys = (...texts: string[]) => texts.map((text) => ({ text, form: 'question' as const }));

/** The logits of a function of both texts; remembers what it read. */
function scorerOf(labels: readonly string[], logits: (pair: TextPair) => readonly number[], maxTokens = 512) {
  const read: TextPair[] = [];
  const scorer: PairScorer = {
    id: 'by hand',
    labels,
    maxTokens,
    score: async (pairs) => {
      read.push(...pairs);
      return Float32Array.from(pairs.flatMap(logits));
    },
    dispose: async () => {},
  };
  return { scorer, read };
}

/** How often the second text has the first. */
const counts = ({ first, second }: TextPair) => second.split(first).length - 1;

test('the best passage counts, by the thresholds; every key of every document gets its own', async () => {
  const { scorer, read } = scorerOf(['LABEL_0'], (pair) => [counts(pair)], 20);
  const judge = createCrossEncoderJudge(scorer, { 1: 1, 2: 2, 3: 3 });
  // 20 tokens leave eight words a passage.
  const documentText = 'A b c d e f. X x g h i j. X x x k l m.';
  const outcomes = await judge.faithfulness(
    [
      { documentId: 'd', documentText, keys: keys('x ', 'k') },
      { documentId: 'e', documentText: '', keys: keys('x') },
    ],
    view,
  );
  expect(read.map(({ second }) => second)).toHaveLength(7);
  expect(outcomes).toMatchObject([
    {
      ok: true,
      value: [
        { score: 2, value: 2 },
        { score: 1, value: 1 },
      ],
      usage: { calls: 0 },
    },
    { ok: true, value: [{ score: 0, value: 0 }] },
  ]);
  expect(await judge.answerability([], view)).toEqual([]);
});

test('two labels: the second less the first', async () => {
  const { scorer } = scorerOf(['no', 'yes'], () => [1, 4]);
  const [outcome] = await createCrossEncoderJudge(scorer).answerability(
    [{ documentId: 'd', documentText: 'a', query: 'q' }],
    view,
  );
  expect(outcome).toMatchObject({ ok: true, value: 3 });
});

test('thresholds are set on simulated searches', async () => {
  const { scorer } = scorerOf(['LABEL_0'], (pair) => [counts(pair)]);
  const pairs = Array.from({ length: 12 }, () => ({
    query: 'x',
    documentText: 'x and x and x',
    hardNegativeText: 'one x',
  }));
  expect(await calibrateCrossEncoder(scorer, pairs)).toEqual({ 1: 3, 2: 3, 3: 3 });
});

test('entailment: the premise is the document, and the least likely claim counts', async () => {
  const { scorer, read } = scorerOf(['ENTAILMENT', 'not_entailment'], ({ second }) =>
    second.includes('cold') ? [0, Math.log(2)] : [Math.log(2), 0],
  );
  const [outcome] = await createNliJudge(scorer).faithfulness(
    [
      {
        documentId: 'd',
        documentText: 'Oranges are warm.',
        keys: keys('oranges are warm, valleys are cold'),
      },
    ],
    view,
  );
  expect(read).toEqual([
    { first: 'Oranges are warm.', second: 'oranges are warm' },
    { first: 'Oranges are warm.', second: 'valleys are cold' },
  ]);
  // Odds of 1 to 2.
  expect(outcome).toMatchObject({ ok: true, value: [{ score: 1 }] });
  expect(outcome.ok && outcome.value[0].value).toBeCloseTo(1 / 3, 6);
});

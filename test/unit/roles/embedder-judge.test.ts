import { expect, test } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import type { Embedder } from '../../../src/embed/types.ts';
import { calibrateEmbedderJudge, createEmbedderJudge } from '../../../src/roles/judges/embedder-judge.ts';
import { calibrateThresholds } from '../../../src/roles/judges/thresholds.ts';
import { simpleView } from './simple-view.ts';

const view = simpleView([]);

/** Counts of the letters a, b and c, normalised: cosines that can be worked out by hand. */
function letterEmbedder(): Embedder & { readonly embedded: string[] } {
  const embedded: string[] = [];
  return {
    embedded,
    fingerprint: {
      model: 'letters',
      revision: '1',
      dtype: 'fp32',
      pooling: 'mean',
      dimensions: 3,
      queryPrefix: '',
      passagePrefix: '',
      tokenizer: 'letters',
    },
    dimensions: 3,
    maxTokens: 256,
    async embed(texts, role) {
      embedded.push(...texts.map((text) => `${role}: ${text}`));
      return Float32Array.from(
        texts.flatMap((text) => {
          const counts = ['a', 'b', 'c'].map((letter) => text.split(letter).length - 1);
          const norm = Math.hypot(...counts) || 1;
          return counts.map((count) => count / norm);
        }),
      );
    },
    async dispose() {},
  };
}

test('the cosine of key and document decides, by the thresholds', async () => {
  const judge = createEmbedderJudge(letterEmbedder(), { 1: 0.2, 2: 0.5, 3: 0.9 });
  const keys = ['a', 'a b', 'a b b b', 'c'].map((text) => ({ text, form: 'question' as const }));
  const [outcome] = await judge.faithfulness([{ documentId: 'd', documentText: 'a a', keys }], view);
  // Cosines 1, 1/√2 = .71, 1/√10 = .32 and 0.
  expect(outcome.ok && outcome.value.map((one) => one.score)).toEqual([3, 2, 1, 0]);
  expect(outcome.ok && outcome.value[1].reason).toBe('Cosine 0.71 to the document; 0.50 is needed to pass.');
});

test('a long document is judged by its best passage, and embedded once', async () => {
  const embedder = letterEmbedder();
  const judge = createEmbedderJudge(embedder, { 1: 0.2, 2: 0.5, 3: 0.9 });
  const text = `${'a '.repeat(180)}. ${'c '.repeat(180)}.`;
  const pair = { documentId: 'd', documentText: text, query: 'c' };
  expect(await judge.answerability([pair, pair], view)).toMatchObject([{ value: 3 }, { value: 3 }]);
  await judge.answerability([pair], view);
  expect(embedder.embedded.filter((one) => one.startsWith('passage'))).toHaveLength(2);
});

test('thresholds: equal error for 2, nearly all true pairs for 1, nearly all true of what passes for 3', () => {
  // True pairs .01 … 1.00 shifted by .5, false ones from 0: at .5 + t, true below = t, false at or above = .5 - t; equal at .75.
  const positives = Array.from({ length: 100 }, (_, i) => 0.505 + i / 100);
  const negatives = Array.from({ length: 100 }, (_, i) => 0.005 + i / 100);
  const thresholds = calibrateThresholds({ positives, negatives });
  expect(thresholds[2]).toBeCloseTo(0.755, 6);
  // 95 of 100 true pairs are at or above the sixth.
  expect(thresholds[1]).toBeCloseTo(0.555, 6);
  // At x: true 1.505 − x, false 1.005 − x; .95 of what passes is true from x ≥ .979 on: the next score is .985.
  expect(thresholds[3]).toBeCloseTo(0.985, 6);
});

test('thresholds ascend also where the pairs do not separate; a handful of pairs is refused', () => {
  const same = Array.from({ length: 20 }, (_, i) => i / 20);
  const thresholds = calibrateThresholds({ positives: same, negatives: same });
  expect(thresholds[1]).toBeLessThanOrEqual(thresholds[2]);
  expect(thresholds[3]).toBe(Infinity);
  expect(() => calibrateThresholds({ positives: [1], negatives: [0] })).toThrow(SelfIndexError);
});

test('calibration measures searches against their document and a hard negative', async () => {
  const pairs = Array.from({ length: 12 }, () => ({
    query: 'a',
    documentText: 'a a b',
    hardNegativeText: 'a b b',
  }));
  const thresholds = await calibrateEmbedderJudge(letterEmbedder(), pairs);
  // Cosines 2/√5 = .894 for the true pairs and 1/√5 = .447 for the others.
  expect(thresholds[2]).toBeCloseTo(0.894, 3);
});

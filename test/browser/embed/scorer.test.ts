import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectPairScorer } from '../../../src/embed/worker-scorer.ts';
import type { PairScorer } from '../../../src/embed/pair-scorer.ts';
import { createCrossEncoderJudge, createNliJudge } from '../../../src/roles/judges/pair-judges.ts';
import type { CollectionView } from '../../../src/retrieve/types.ts';
import { scorerWorker } from '../fixtures/models.ts';

const base = { base: '/test/fixtures/models/', dtype: 'fp32' } as const;
const view: CollectionView = { size: 0, idf: () => 1, terms: () => new Map(), expansionsOf: () => [] };
const keys = (...texts: string[]) => texts.map((text) => ({ text, form: 'question' as const }));

/** The models of test/fixtures/models/make_tiny_scorers.py, whose logits can be worked out by hand. */
describe('a reranker in its worker', () => {
  let scorer: PairScorer;
  beforeAll(async () => {
    scorer = await connectPairScorer(scorerWorker('kept'), { model: 'tiny-reranker', ...base });
  });
  afterAll(() => scorer.dispose());

  it('reads both texts of a pair', async () => {
    expect(scorer.id).toMatch(/^tiny-reranker@[0-9a-f]{16}\/fp32$/);
    expect(scorer.labels).toEqual(['LABEL_0']);
    const logits = await scorer.score([
      { first: 'the red cat', second: 'a fast dog sat on the mat' },
      { first: 'red cat', second: 'the red cat sat' },
      { first: 'red cat', second: 'hello world' },
      { first: 'red cat sat on', second: 'the cat' },
    ]);
    // Shares 1/3, 1, 0, 1/4 of the first text; 8 share − 4.
    [-4 / 3, 4, -4, -2].forEach((logit, i) => expect(logits[i]).toBeCloseTo(logit, 4));
    expect(await scorer.score([])).toHaveLength(0);
  });

  it('cuts what is longer than its context, and takes any text', async () => {
    expect(scorer.maxTokens).toBe(128);
    const logits = await scorer.score([
      { first: 'cat', second: `${'dog '.repeat(5000)}cat` },
      { first: '', second: '[SEP] \u0000 \ud800 <script>' },
    ]);
    expect(logits[0]).toBeCloseTo(-4, 4);
    expect(Number.isFinite(logits[1])).toBe(true);
  });

  it('judges', async () => {
    const judge = createCrossEncoderJudge(scorer);
    expect(judge.id).toBe(`crossencoder(${scorer.id} -2.000/0.000/2.000)`);
    const documentText = 'The red cat sat on the mat. The dog sat.';
    // Shares 1, 3/4, 1/2, 1/4, 0 of the key: logits 4, 2, 0, −2, −4.
    const texts = ['red cat', 'red cat sat fast', 'cat slow', 'cat hello world fast', 'hello'];
    const [outcome] = await judge.faithfulness(
      [{ documentId: 'd', documentText, keys: keys(...texts) }],
      view,
    );
    expect(outcome.ok && outcome.value.map(({ value }) => Math.round(value ?? 9) + 0)).toEqual([
      4, 2, 0, -2, -4,
    ]);
    expect(outcome.ok && outcome.value[0].score).toBe(3);
    expect(outcome.ok && outcome.value[4].score).toBe(0);
  });

  it('stops when told', async () => {
    const pairs = Array.from({ length: 2000 }, () => ({ first: 'cat', second: 'dog' }));
    const controller = new AbortController();
    const scores = scorer.score(pairs, controller.signal);
    controller.abort();
    await expect(scores).rejects.toHaveProperty('name', 'AbortError');
    expect(await scorer.score([{ first: 'cat', second: 'cat' }])).toHaveLength(1);
  });
});

describe('entailment in its worker', () => {
  it('judges claim by claim', async () => {
    const scorer = await connectPairScorer(scorerWorker(), { model: 'tiny-nli', ...base });
    expect(scorer.labels).toEqual(['contradiction', 'entailment', 'neutral']);
    const judge = createNliJudge(scorer);
    const documentText = 'The red cat sat on the mat.';
    const texts = ['the red cat sat', 'the red cat sat, the slow blue dog', '…'];
    const outcomes = await judge.faithfulness(
      [{ documentId: 'd', documentText, keys: keys(...texts) }],
      view,
    );
    // Logits [0, 4, 0] give e⁴ / (e⁴ + 2) = .965; of the second key's second claim 1/4 is there: e⁻² / (e⁻² + 2) = .063.
    expect(outcomes).toMatchObject([
      {
        ok: true,
        value: [
          { score: 3 },
          { score: 0, reason: 'Least entailed of 2, at 6 %: “the slow blue dog”.' },
          { score: 0, reason: 'It claims nothing.' },
        ],
      },
    ]);
    expect(outcomes[0].ok && outcomes[0].value[0].value).toBeCloseTo(0.9647, 3);
    expect(() => createCrossEncoderJudge(scorer)).toThrow('has 3');
    await scorer.dispose();
    await expect(scorer.score([])).rejects.toMatchObject({ code: 'model-not-found' });
  });

  it('is not what a model without such a label does; a missing model is named', async () => {
    const reranker = await connectPairScorer(scorerWorker(), { model: 'tiny-reranker', ...base });
    expect(() => createNliJudge(reranker)).toThrow('one for entailment is needed');
    await reranker.dispose();
    await expect(
      connectPairScorer(scorerWorker(), { model: 'no-such-model', ...base }),
    ).rejects.toMatchObject({ code: 'model-not-found' });
  });
});

import { SelfIndexError } from '../../base/errors.ts';
import type { PairScorer, TextPair } from '../../embed/pair-scorer.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import { passagesOf, readable } from '../extractive/text.ts';
import { succeeded } from '../outcome.ts';
import { splitClaims } from '../prompted/claims.ts';
import type { Judge } from '../types.ts';
import type { CalibrationPair } from './embedder-judge.ts';
import { calibrateThresholds, type Thresholds } from './thresholds.ts';

/** Words per token, and the share of a model's tokens that a passage may take beside the other text. */
const wordsPerToken = 180 / 256;
const passageShare = 0.6;
/** Passages of one document that are read; a longer document is judged by its beginning. */
const mostPassages = 8;

/** For a reranker's logit before calibration: its sigmoid at .12, .5 and .88. */
export const rerankerThresholds: Thresholds = { 1: -2, 2: 0, 3: 2 };
/** For the probability of entailment. */
const entailmentBounds: Thresholds = { 1: 0.25, 2: 0.5, 3: 0.75 };

interface Asked {
  readonly text: string;
  readonly documentText: string;
}

/**
 * A cross-encoder (reranker) as judge: the logit of the text with the document's best passage, by thresholds as for an
 * embedder. With two labels, the second's logit less the first's.
 * @throws SelfIndexError `invalid-argument` for a model with more than two labels
 */
export function createCrossEncoderJudge(
  scorer: PairScorer,
  thresholds: Thresholds = rerankerThresholds,
): Judge {
  checkReranker(scorer);
  const bounds = [thresholds[1], thresholds[2], thresholds[3]].map((bound) => bound.toFixed(3)).join('/');
  return judgeOf(`crossencoder(${scorer.id} ${bounds})`, async (asked, signal) =>
    (await rerankerLogits(scorer, asked, signal)).map((logit) => ({
      ...verdict(logit, thresholds),
      reason: `The reranker gives it ${logit.toFixed(2)}; ${thresholds[2].toFixed(2)} is needed to pass.`,
    })),
  );
}

/**
 * Thresholds for one reranker on one collection, from simulated searches.
 * @throws SelfIndexError `invalid-argument` for fewer than ten pairs, or more than two labels
 */
export async function calibrateCrossEncoder(
  scorer: PairScorer,
  pairs: readonly CalibrationPair[],
  signal?: AbortSignal,
): Promise<Thresholds> {
  checkReranker(scorer);
  const of = (documentText: (pair: CalibrationPair) => string) =>
    rerankerLogits(
      scorer,
      pairs.map((pair) => ({ text: pair.query, documentText: documentText(pair) })),
      signal,
    );
  return calibrateThresholds({
    positives: await of((pair) => pair.documentText),
    negatives: await of((pair) => pair.hardNegativeText),
  });
}

/**
 * Entailment as judge: each claim of the text (`splitClaims`) must follow from a passage of the document. The least likely
 * claim's probability of entailment is the text's: from .75 on it scores 3, from .5 on 2, from .25 on 1; 0 without a claim.
 * @throws SelfIndexError `invalid-argument` for a model whose labels name no entailment
 */
export function createNliJudge(scorer: PairScorer): Judge {
  const entailment = scorer.labels.findIndex((label) => /^entail/i.test(label));
  if (entailment < 0)
    throw new SelfIndexError(
      'invalid-argument',
      `The labels of ${scorer.id} are ${scorer.labels.join(', ')}; one for entailment is needed.`,
    );
  return judgeOf(`nli(${scorer.id})`, async (asked, signal) => {
    const claims = asked.map(({ text }) => splitClaims(text));
    const flat = claims.flatMap((ofText, i) =>
      ofText.map((text) => ({ text, documentText: asked[i].documentText })),
    );
    const best = await bestOf(
      scorer,
      flat,
      (claim, passage) => ({ first: passage, second: claim }),
      (row) => softmaxAt(row, entailment),
      signal,
    );
    let next = 0;
    return claims.map((ofText): FaithfulnessScore => {
      if (ofText.length === 0) return { score: 0, value: 0, reason: 'It claims nothing.' };
      const likelihoods = best.slice(next, (next += ofText.length));
      const least = likelihoods.indexOf(Math.min(...likelihoods));
      const percent = Math.round(likelihoods[least] * 100);
      return {
        ...verdict(likelihoods[least], entailmentBounds),
        reason: `Least entailed of ${ofText.length}, at ${percent} %: “${ofText[least].slice(0, 120).toWellFormed()}”.`,
      };
    });
  });
}

function judgeOf(
  id: string,
  judge: (asked: readonly Asked[], signal?: AbortSignal) => Promise<FaithfulnessScore[]>,
): Judge {
  return {
    id,
    async faithfulness(tasks, _view, signal) {
      const scores = await judge(
        tasks.flatMap(({ documentText, keys }) => keys.map(({ text }) => ({ text, documentText }))),
        signal,
      );
      let next = 0;
      return tasks.map(({ keys }) => succeeded(scores.slice(next, (next += keys.length))));
    },
    async answerability(pairs, _view, signal) {
      const scores = await judge(
        pairs.map(({ query, documentText }) => ({ text: query, documentText })),
        signal,
      );
      return scores.map(({ score }) => succeeded(score));
    },
  };
}

function rerankerLogits(
  scorer: PairScorer,
  asked: readonly Asked[],
  signal?: AbortSignal,
): Promise<number[]> {
  return bestOf(
    scorer,
    asked,
    (text, passage) => ({ first: text, second: passage }),
    (row) => (row.length === 1 ? row[0] : row[1] - row[0]),
    signal,
  );
}

/** Per text the best score over the passages of its document. */
async function bestOf(
  scorer: PairScorer,
  asked: readonly Asked[],
  pairOf: (text: string, passage: string) => TextPair,
  scoreOf: (row: Float32Array) => number,
  signal?: AbortSignal,
): Promise<number[]> {
  const size = Math.max(1, Math.floor(scorer.maxTokens * wordsPerToken * passageShare));
  const passages = new Map<string, readonly string[]>();
  const passagesFor = (documentText: string) => {
    const known = passages.get(documentText);
    if (known) return known;
    const made = passagesOf(readable(documentText), size).slice(0, mostPassages);
    const all = made.length > 0 ? made : [''];
    passages.set(documentText, all);
    return all;
  };
  const pairs = asked.map(({ text, documentText }) =>
    passagesFor(documentText).map((passage) => pairOf(text, passage)),
  );
  if (pairs.length === 0) return [];
  const width = scorer.labels.length;
  const rows = await scorer.score(pairs.flat(), signal);
  let next = 0;
  return pairs.map((ofText) =>
    Math.max(...ofText.map(() => scoreOf(rows.subarray(next * width, ++next * width)))),
  );
}

function checkReranker({ id, labels }: PairScorer): void {
  if (labels.length > 2)
    throw new SelfIndexError(
      'invalid-argument',
      `A reranker has one label or two; ${id} has ${labels.length}.`,
    );
}

function verdict(value: number, bounds: Thresholds): FaithfulnessScore {
  return { score: value >= bounds[3] ? 3 : value >= bounds[2] ? 2 : value >= bounds[1] ? 1 : 0, value };
}

function softmaxAt(row: Float32Array, place: number): number {
  const most = Math.max(...row);
  const weights = Array.from(row, (logit) => Math.exp(logit - most));
  return weights[place] / weights.reduce((sum, weight) => sum + weight, 0);
}

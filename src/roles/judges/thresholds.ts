import { SelfIndexError } from '../../base/errors.ts';

/** Least cosines for the scores 1, 2 and 3, ascending. */
export interface Thresholds {
  readonly 1: number;
  readonly 2: number;
  readonly 3: number;
}

/** A search made from a document, and a document that looks like its answer and is not. */
export interface CalibrationScores {
  /** Cosine of each search with the document it was made from. */
  readonly positives: readonly number[];
  /** Cosine of each search with a hard negative. */
  readonly negatives: readonly number[];
}

/** Fewer pairs than this say nothing. */
export const fewestPairs = 10;

/** Share of true pairs that a score of 1 must not miss, and share of true among those that score 3. */
const recallOfOne = 0.95;
const precisionOfThree = 0.95;

/**
 * Thresholds from pairs whose answer is known. Score 2, the gate's, begins where both errors are equal (true pairs below
 * it, false pairs at or above it); score 1 where 95 % of the true pairs pass; score 3 where 95 % of what passes is true,
 * both kinds weighed alike.
 * @throws SelfIndexError `invalid-argument` for fewer than ten pairs of either kind
 */
export function calibrateThresholds({ positives, negatives }: CalibrationScores): Thresholds {
  if (positives.length < fewestPairs || negatives.length < fewestPairs)
    throw new SelfIndexError(
      'invalid-argument',
      `Calibration had ${positives.length} true and ${negatives.length} false pairs; give at least ${fewestPairs} of each.`,
    );
  const candidates = [...new Set([...positives, ...negatives])].sort((a, b) => a - b);
  const passing = (scores: readonly number[], threshold: number) =>
    scores.filter((score) => score >= threshold).length / scores.length;

  let two = candidates[0];
  let gap = Infinity;
  for (const threshold of candidates) {
    const error = Math.abs(1 - passing(positives, threshold) - passing(negatives, threshold));
    if (error < gap) [two, gap] = [threshold, error];
  }
  const one = candidates.findLast((threshold) => passing(positives, threshold) >= recallOfOne) ?? two;
  const three = candidates.find((threshold) => {
    const trueShare = passing(positives, threshold);
    return trueShare >= precisionOfThree * (trueShare + passing(negatives, threshold));
  });
  return { 1: Math.min(one, two), 2: two, 3: Math.max(three ?? Infinity, two) };
}

import type { CollectionView } from '../../retrieve/types.ts';

/** Terms of a text, each with its weight: idf, more for terms that the document repeats. */
export type TermWeights = ReadonlyMap<string, number>;

/** idf of each distinct term of a text. */
export function idfWeights(text: string, view: CollectionView): TermWeights {
  const weights = new Map<string, number>();
  for (const [term, share] of view.terms(text)) weights.set(term, view.idf(term) * Math.min(1, share));
  return weights;
}

export function mass(weights: TermWeights): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight;
  return sum;
}

export function cosine(a: TermWeights, b: TermWeights): number {
  let dot = 0;
  for (const [term, weight] of a) dot += weight * (b.get(term) ?? 0);
  const norms = norm(a) * norm(b);
  return norms === 0 ? 0 : dot / norms;
}

function norm(weights: TermWeights): number {
  let sum = 0;
  for (const weight of weights.values()) sum += weight * weight;
  return Math.sqrt(sum);
}

/**
 * How telling a text is for its document: the mass of its terms, damped by their number so that a long sentence does
 * not win by length alone; a term that the document repeats counts more, one that searches asked for twice.
 */
export function salience(
  weights: TermWeights,
  documentTerms: ReadonlyMap<string, number>,
  wanted: ReadonlySet<string>,
): number {
  let sum = 0;
  for (const [term, weight] of weights) {
    const repeated = 1 + Math.log(Math.max(1, documentTerms.get(term) ?? 1));
    sum += weight * repeated * (wanted.has(term) ? 2 : 1);
  }
  return sum / Math.sqrt(8 + weights.size);
}

export interface Candidate<T> {
  readonly item: T;
  readonly weights: TermWeights;
  readonly value: number;
}

/** Maximal marginal relevance (Carbonell and Goldstein, 1998): valuable and unlike what is already chosen. Ties by order. */
export function mostTelling<T>(
  candidates: readonly Candidate<T>[],
  limit: number,
  chosen: readonly TermWeights[] = [],
): T[] {
  const best = candidates.reduce((top, candidate) => Math.max(top, candidate.value), Number.MIN_VALUE);
  const overlap = candidates.map((candidate) =>
    Math.max(0, ...chosen.map((weights) => cosine(candidate.weights, weights))),
  );
  const left = new Set(candidates.keys());
  const picked: T[] = [];
  while (picked.length < limit && left.size > 0) {
    let next = -1;
    let top = -Infinity;
    for (const i of left) {
      const value = 0.6 * (candidates[i].value / best) - 0.4 * overlap[i];
      if (value > top) [next, top] = [i, value];
    }
    left.delete(next);
    if (overlap[next] > 0.8) continue;
    picked.push(candidates[next].item);
    for (const i of left)
      overlap[i] = Math.max(overlap[i], cosine(candidates[i].weights, candidates[next].weights));
  }
  return picked;
}

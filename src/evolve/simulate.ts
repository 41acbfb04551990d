import { contentHash } from '../base/hash.ts';
import { createRandom } from '../base/random.ts';
import { originalText } from '../keys/key-id.ts';
import { jaccard, wordSet } from '../corpus/words.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, Usage } from '../keys/types.ts';
import type { CollectionView } from '../retrieve/types.ts';
import type { Judge, Simulator } from '../roles/types.ts';
import { addUsage, noUsage } from '../keys/usage.ts';
import { passingScore } from './validate.ts';

/** τ of the dissimilarity filter (paper, A.2.2). */
export const dissimilarityThreshold = 0.8;

export interface SimulationOptions {
  /** In order of id: the same collection gives the same sample. */
  readonly documents: readonly Document[];
  readonly simulator: Simulator;
  readonly judge: Judge;
  readonly view: CollectionView;
  /** Queries wanted. */
  readonly count: number;
  /** m: queries asked for per document. Default 2. */
  readonly perDocument?: number;
  /** Documents that may be sampled before giving up. Default 4 × count. */
  readonly attempts?: number;
  /** Documents handed to the simulator at once. */
  readonly batchSize: number;
  readonly used: readonly EvolutionQuery[];
  readonly seed: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (accepted: number, usage: Usage) => void;
}

export interface Simulation {
  readonly queries: readonly EvolutionQuery[];
  readonly usage: Usage;
  /** Candidates refused or answers that could not be used. */
  readonly refused: {
    readonly answerability: number;
    readonly dissimilarity: number;
    readonly unusable: number;
  };
}

/**
 * Algorithm 3 (paper, A.2): documents sampled uniformly at random, m queries each, kept when the document answers them
 * (score ≥ 2) and no query used or accepted before is similar (Jaccard of word sets < .8).
 */
export async function simulateQueries(options: SimulationOptions): Promise<Simulation> {
  const { documents, simulator, judge, view, count, batchSize, seed, signal } = options;
  const perDocument = options.perDocument ?? 2;
  const attempts = Math.min(options.attempts ?? 4 * count, 4 * count);
  const known = options.used.map((query) => wordSet(query.text));
  const accepted: EvolutionQuery[] = [];
  const refused = { answerability: 0, dissimilarity: 0, unusable: 0 };
  let usage = noUsage;

  const isNew = (text: string) => {
    const words = wordSet(text);
    return known.every((other) => jaccard(words, other) < dissimilarityThreshold);
  };

  for (const group of sampleGroups(documents, attempts, batchSize, seed)) {
    if (accepted.length >= count) break;
    signal?.throwIfAborted();
    const candidates: { document: Document; text: string }[] = [];
    const answers = await simulator.simulate(
      group.map(({ document, draw }) => ({
        documentId: document.id,
        title: document.title,
        text: document.text,
        count: perDocument,
        seed: `${seed}/${document.id}/${draw}`,
      })),
      view,
      signal,
    );
    answers.forEach((answer, i) => {
      usage = addUsage(usage, answer.usage);
      if (!answer.ok) refused.unusable++;
      else for (const text of answer.value) candidates.push({ document: group[i].document, text });
    });
    // Both filters must hold, so the free one goes first and spares the judge.
    const fresh = candidates.filter(({ text }) => isNew(text) || (refused.dissimilarity++, false));
    const verdicts = await judge.answerability(
      fresh.map(({ document, text }) => ({
        documentId: document.id,
        documentText: originalText(document),
        query: text,
      })),
      view,
      signal,
    );
    fresh.forEach(({ document, text }, i) => {
      const verdict = verdicts[i];
      usage = addUsage(usage, verdict.usage);
      if (accepted.length >= count) return;
      if (!verdict.ok) refused.unusable++;
      else if (verdict.value < passingScore) refused.answerability++;
      else if (!isNew(text)) refused.dissimilarity++;
      else {
        known.push(wordSet(text));
        accepted.push(simulatedQuery(text, document.id));
      }
    });
    options.onProgress?.(accepted.length, usage);
  }
  return { queries: accepted, usage, refused };
}

function simulatedQuery(text: string, sourceDocumentId: string): EvolutionQuery {
  const id = `simulated-${contentHash([text, sourceDocumentId]).slice(0, 16)}`;
  return { id, text, kind: 'simulated', sourceDocumentId };
}

interface Draw {
  readonly document: Document;
  /** How often it was drawn before. */
  readonly draw: number;
}

/** Uniform sampling without replacement until the collection is through, then again in a new order. */
function* sampleGroups(
  documents: readonly Document[],
  attempts: number,
  batchSize: number,
  seed: string,
): Generator<Draw[]> {
  if (documents.length === 0) return;
  let group: Draw[] = [];
  for (let drawn = 0, draw = 0; drawn < attempts; draw++) {
    for (const document of createRandom(`${seed}/sample/${draw}`).shuffle(documents)) {
      if (drawn++ >= attempts) break;
      group.push({ document, draw });
      if (group.length === batchSize) {
        yield group;
        group = [];
      }
    }
  }
  if (group.length > 0) yield group;
}

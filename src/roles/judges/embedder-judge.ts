import type { Embedder } from '../../embed/types.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import { passagesOf, readable } from '../extractive/text.ts';
import { succeeded } from '../outcome.ts';
import type { Judge } from '../types.ts';
import { calibrateThresholds, type Thresholds } from './thresholds.ts';

/** Before calibration: a guess, replaced wherever there are ten simulated pairs (`calibrateEmbedderJudge`). */
export const defaultThresholds: Thresholds = { 1: 0.25, 2: 0.4, 3: 0.6 };

/** Words that a passage may have so that the embedder reads all of it: 180 for 256 tokens. */
const wordsPerToken = 180 / 256;
/** Passages of one document that are compared; a longer document is judged by its beginning. */
const mostPassages = 16;
/** Documents whose vectors are kept: one iteration judges a document's keys and searches several times. */
const keptDocuments = 512;

/**
 * An embedder as judge: the cosine of a key, as the query, to the document's best passage. For models too small to judge
 * (design.md §5, "Who can judge"): AUC .93 on claude-docs where the 135M model is a coin.
 */
export function createEmbedderJudge(embedder: Embedder, thresholds: Thresholds = defaultThresholds): Judge {
  const documents = new DocumentVectors(embedder);
  const { model, revision, dtype, activations } = embedder.fingerprint;
  const bounds = [thresholds[1], thresholds[2], thresholds[3]].map((bound) => bound.toFixed(3)).join('/');
  return {
    id: `embedder(${model}@${revision}/${dtype}${activations ? `/${activations}` : ''} ${bounds})`,
    async faithfulness(tasks, _view, signal) {
      const pairs = tasks.flatMap((task) =>
        task.keys.map((key) => ({ documentText: task.documentText, query: key.text })),
      );
      const scores = await cosines(embedder, documents, pairs, signal);
      let next = 0;
      return tasks.map((task) => succeeded(task.keys.map(() => verdict(scores[next++], thresholds))));
    },
    async answerability(pairs, _view, signal) {
      const scores = await cosines(embedder, documents, pairs, signal);
      return scores.map((score) => succeeded(verdict(score, thresholds).score));
    },
  };
}

/** A search made from one document, and the text of another that looks like its answer and is not. */
export interface CalibrationPair {
  readonly query: string;
  readonly documentText: string;
  readonly hardNegativeText: string;
}

/**
 * Thresholds for one embedder on one collection, from simulated searches.
 * @throws SelfIndexError `invalid-argument` for fewer than ten pairs
 */
export async function calibrateEmbedderJudge(
  embedder: Embedder,
  pairs: readonly CalibrationPair[],
  signal?: AbortSignal,
): Promise<Thresholds> {
  const documents = new DocumentVectors(embedder);
  const positives = await cosines(embedder, documents, pairs, signal);
  const negatives = await cosines(
    embedder,
    documents,
    pairs.map(({ query, hardNegativeText }) => ({ query, documentText: hardNegativeText })),
    signal,
  );
  return calibrateThresholds({ positives, negatives });
}

interface Pair {
  readonly query: string;
  readonly documentText: string;
}

/** Per pair the cosine of the query to the document's best passage. */
async function cosines(
  embedder: Embedder,
  documents: DocumentVectors,
  pairs: readonly Pair[],
  signal?: AbortSignal,
): Promise<number[]> {
  if (pairs.length === 0) return [];
  const passages = await documents.of([...new Set(pairs.map((pair) => pair.documentText))], signal);
  const queries = await embedder.embed(
    pairs.map((pair) => pair.query),
    'query',
    { signal },
  );
  const width = embedder.dimensions;
  return pairs.map(({ documentText }, i) => {
    const query = queries.subarray(i * width, (i + 1) * width);
    const vectors = passages.get(documentText) ?? new Float32Array();
    let best = -1;
    for (let start = 0; start < vectors.length; start += width) {
      let dot = 0;
      for (let j = 0; j < width; j++) dot += query[j] * vectors[start + j];
      best = Math.max(best, dot);
    }
    return best;
  });
}

/** Vectors of documents by passage, the latest few hundred kept. */
class DocumentVectors {
  readonly #kept = new Map<string, Float32Array>();

  constructor(private readonly embedder: Embedder) {}

  async of(texts: readonly string[], signal?: AbortSignal): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    const missing: { text: string; passages: string[] }[] = [];
    const size = Math.floor(this.embedder.maxTokens * wordsPerToken);
    for (const text of texts) {
      const kept = this.#kept.get(text);
      if (kept) found.set(text, kept);
      else missing.push({ text, passages: passagesOf(readable(text), size).slice(0, mostPassages) });
    }
    const flat = missing.flatMap(({ passages }) => passages);
    const vectors =
      flat.length === 0 ? new Float32Array() : await this.embedder.embed(flat, 'passage', { signal });
    let row = 0;
    for (const { text, passages } of missing) {
      const own = vectors.slice(
        row * this.embedder.dimensions,
        (row += passages.length) * this.embedder.dimensions,
      );
      found.set(text, own);
      this.#keep(text, own);
    }
    return found;
  }

  #keep(text: string, vectors: Float32Array): void {
    this.#kept.set(text, vectors);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > keptDocuments && !oldest.done) this.#kept.delete(oldest.value);
  }
}

function verdict(cosine: number, thresholds: Thresholds): FaithfulnessScore {
  const score = cosine >= thresholds[3] ? 3 : cosine >= thresholds[2] ? 2 : cosine >= thresholds[1] ? 1 : 0;
  const needed = thresholds[2].toFixed(2);
  return {
    score,
    value: cosine,
    reason: `Cosine ${cosine.toFixed(2)} to the document; ${needed} is needed to pass.`,
  };
}

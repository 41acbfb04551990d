import { AutoModelForSequenceClassification } from '@xenova/transformers';
import { messageOf, SelfIndexError } from '../base/errors.ts';
import { createPacer } from '../base/pacer.ts';
import { isOutOfMemory, loadModel } from './load-model.ts';
import { readJson, type LoadOptions } from './model-files.ts';
import type { TransformersSpec } from './types.ts';

/** Two texts that a model reads together: a search and a passage, or a premise and a hypothesis. */
export interface TextPair {
  readonly first: string;
  readonly second: string;
}

/** A model that reads two texts at once and gives each pair a logit per label: a reranker, or one for entailment. */
export interface PairScorer {
  /** Model, revision and dtype. */
  readonly id: string;
  /** In the order of the logits; one label for a reranker. */
  readonly labels: readonly string[];
  /** Of both texts together; what is beyond is cut from the second. */
  readonly maxTokens: number;
  /** Row-major |pairs| × labels. A pair's logits do not depend on its neighbours. */
  score(pairs: readonly TextPair[], signal?: AbortSignal): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** A model that names no limit of its own gets this. */
const mostTokens = 512;

/**
 * Loads a sequence classifier of transformers.js (`AutoModelForSequenceClassification`): a cross-encoder such as the MS MARCO
 * MiniLMs, or one for natural language inference. Pairs are read one by one. Runs where onnxruntime-web may block the thread:
 * in the scorer worker.
 *
 * @throws SelfIndexError as `loadModel`
 */
export async function loadPairScorer(spec: TransformersSpec, options: LoadOptions = {}): Promise<PairScorer> {
  const { model, tokenizer, files, revision } = await loadModel(
    AutoModelForSequenceClassification,
    spec,
    options,
  );
  const config = readJson(files, 'config.json');
  const limits = [Number(tokenizer.model_max_length), Number(config?.max_position_embeddings), mostTokens];
  const maxTokens = Math.min(...limits.filter((limit) => limit > 0));
  let queue: Promise<unknown> = Promise.resolve();

  async function logitsOf({ first, second }: TextPair): Promise<ArrayLike<number>> {
    const inputs = tokenizer(first, { text_pair: second, truncation: true, max_length: maxTokens }) as object;
    const { logits } = (await model(inputs)) as { logits: { data: Float32Array } };
    return logits.data;
  }

  async function scoreAll(pairs: readonly TextPair[], signal?: AbortSignal): Promise<Float32Array> {
    const pacer = createPacer(signal);
    const scores = new Float32Array(pairs.length * labels.length);
    for (const [i, pair] of pairs.entries()) {
      await pacer.pause();
      scores.set(await logitsOf(pair), i * labels.length);
    }
    return scores;
  }

  let labels: readonly string[];
  try {
    const width = (await logitsOf({ first: '.', second: '.' })).length;
    const names = config?.id2label as Record<string, string> | undefined;
    labels = Array.from({ length: width }, (_, i) => names?.[i] ?? `LABEL_${i}`);
  } catch (error) {
    await model.dispose();
    throw failure(error);
  }
  return {
    id: `${spec.model}@${revision}/${spec.dtype ?? 'q8'}`,
    labels,
    maxTokens,
    /** One call at a time: the runtime has one session. */
    score(pairs, signal) {
      const turn = queue
        .catch(() => {})
        .then(() => {
          signal?.throwIfAborted();
          return scoreAll(pairs, signal);
        })
        .catch((error: unknown) => {
          signal?.throwIfAborted();
          throw failure(error);
        });
      queue = turn;
      return turn;
    },
    async dispose() {
      await queue.catch(() => {});
      await model.dispose();
    },
  };
}

function failure(cause: unknown): SelfIndexError {
  if (cause instanceof SelfIndexError) return cause;
  const memory = isOutOfMemory(cause);
  return new SelfIndexError(
    'model-failed',
    memory
      ? 'The model that scores pairs ran out of memory. Reload it, and use shorter texts or a smaller model.'
      : `The model that scores pairs failed: ${messageOf(cause)}. Reload it.`,
    { cause, details: memory ? { reason: 'memory' } : {} },
  );
}

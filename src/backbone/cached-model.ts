import { contentHash } from '../base/hash.ts';
import { parseAnswer } from './parse-answer.ts';
import type {
  AnswerCache,
  CallUsage,
  Choice,
  ChoiceRequest,
  Completion,
  CompletionRequest,
  LanguageModel,
} from './types.ts';

/** What is kept of an answer. Values are read from the text again, under the schema: a cache is not trusted either. */
interface KeptAnswer {
  readonly text?: string;
  readonly probabilities?: readonly number[];
  readonly usage: CallUsage;
  readonly cut?: number;
}

/**
 * A model that pays for no answer twice (design.md §3). The key of an answer is the hash of model id, messages, schema,
 * maxTokens, seed and temperature; where the model is `batchSensitive`, of the whole batch and the place in it.
 * Choices depend on themselves alone.
 * Answers are written before they are returned, batch by batch, so a killed tab loses at most one batch.
 *
 * Requests are sent in batches of `model.batchSize`, in their order. A batch of a sensitive model is answered by the cache
 * as a whole or not at all; otherwise only what is missing is asked for, and equal requests once.
 *
 * @throws what the model and the cache throw. An entry that cannot be read counts as missing.
 */
export function withCache(model: LanguageModel, cache: AnswerCache): LanguageModel {
  const choose = model.choose?.bind(model);
  return {
    id: model.id,
    contextTokens: model.contextTokens,
    batchSize: model.batchSize,
    batchSensitive: model.batchSensitive,
    promptStyle: model.promptStyle,
    schemas: model.schemas,
    complete: <T>(requests: readonly CompletionRequest[], signal?: AbortSignal) =>
      answered<CompletionRequest, Completion<T>>(model, cache, requests, signal, {
        kind: 'complete',
        call: (batch) => model.complete<T>(batch, signal),
        keep: ({ text, usage, cut }) => ({ text, usage, cut }),
        read: (kept, request) => readCompletion<T>(kept, request),
      }),
    ...(choose && {
      choose: (requests: readonly ChoiceRequest[], signal?: AbortSignal) =>
        answered<ChoiceRequest, Choice>(model, cache, requests, signal, {
          kind: 'choose',
          call: (batch) => choose(batch, signal),
          keep: ({ probabilities, usage, cut }) => ({ probabilities: [...probabilities], usage, cut }),
          read: readChoice,
        }),
    }),
    dispose: () => model.dispose(),
  };
}

interface Way<Request, Result> {
  readonly kind: 'complete' | 'choose';
  readonly call: (batch: readonly Request[]) => Promise<Result[]>;
  readonly keep: (result: Result) => KeptAnswer;
  readonly read: (kept: KeptAnswer, request: Request) => Result | undefined;
}

async function answered<Request, Result>(
  model: LanguageModel,
  cache: AnswerCache,
  requests: readonly Request[],
  signal: AbortSignal | undefined,
  way: Way<Request, Result>,
): Promise<Result[]> {
  signal?.throwIfAborted();
  const size = Math.max(1, model.batchSize);
  const sensitive = model.batchSensitive && way.kind === 'complete';
  const hashes = sensitive
    ? chunks(requests, size).flatMap((batch) =>
        batch.map((_, place) => contentHash([model.id, way.kind, batch, place])),
      )
    : requests.map((request) => contentHash([model.id, way.kind, request]));
  const kept = await cache.get(hashes);
  const results = requests.map((request, index) => {
    const entry = kept[index];
    return isKept(entry) ? way.read(entry, request) : undefined;
  });

  for (const indices of toAsk(hashes, results, sensitive, size)) {
    signal?.throwIfAborted();
    const fresh = await way.call(indices.map((index) => requests[index]));
    await cache.put(
      fresh.map((result, place) => ({ hash: hashes[indices[place]], answer: way.keep(result) })),
    );
    fresh.forEach((result, place) => (results[indices[place]] = result));
  }

  const byHash = new Map(hashes.map((hash, index) => [hash, results[index]] as const).filter(([, r]) => r));
  return hashes.map((hash, index) => {
    const result = results[index] ?? byHash.get(hash);
    if (!result) throw new Error(`Model ${model.id} gave fewer answers than it was asked for.`);
    return result;
  });
}

/** Indices of the requests to send, batch by batch. */
function toAsk(
  hashes: readonly string[],
  results: readonly unknown[],
  sensitive: boolean,
  size: number,
): number[][] {
  const all = hashes.map((_, index) => index);
  if (sensitive) return chunks(all, size).filter((batch) => batch.some((index) => !results[index]));
  const seen = new Set<string>();
  const missing = all.filter((index) => {
    if (results[index] || seen.has(hashes[index])) return false;
    seen.add(hashes[index]);
    return true;
  });
  return chunks(missing, size);
}

function readCompletion<T>(kept: KeptAnswer, request: CompletionRequest): Completion<T> | undefined {
  if (typeof kept.text !== 'string') return undefined;
  const { text, usage, cut } = kept;
  return { ...parseAnswer<T>(text, request.schema), text, usage, ...(cut && { cut }), cached: true };
}

function readChoice(kept: KeptAnswer, request: ChoiceRequest): Choice | undefined {
  if (!Array.isArray(kept.probabilities) || kept.probabilities.length !== request.options.length)
    return undefined;
  const { usage, cut } = kept;
  return {
    probabilities: Float32Array.from(kept.probabilities),
    usage,
    ...(cut && { cut }),
    cached: true,
  };
}

function isKept(entry: unknown): entry is KeptAnswer {
  if (typeof entry !== 'object' || entry === null) return false;
  const { usage } = entry as { usage?: Partial<CallUsage> };
  return [usage?.inputTokens, usage?.outputTokens, usage?.milliseconds].every(Number.isFinite);
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let i = 0; i < items.length; i += size) result.push(items.slice(i, i + size));
  return result;
}

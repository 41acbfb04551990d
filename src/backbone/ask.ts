import { addUsage } from '../keys/usage.ts';
import type { Usage } from '../keys/types.ts';
import type { Completion, CompletionRequest, LanguageModel } from './types.ts';

/** One answer for a role: a value that fits its schema, or why there is none (counted and skipped, never trusted). */
export type Answer<T> =
  | { readonly ok: true; readonly value: T; readonly usage: Usage }
  | { readonly ok: false; readonly problem: string; readonly usage: Usage };

/** At temperature 0 a seed changes nothing, so the second try of a greedy request samples. */
const retryTemperature = 0.7;

/**
 * Asks once, and once more (seed + 1) for every answer that does not fit its schema; what then still does not fit is
 * returned as a failure. Usage sums both tries: `calls` and tokens are what was paid, `cached` what a cache answered.
 *
 * @throws what the model throws: a failed model or endpoint is no answer that can be skipped.
 */
export async function ask<T>(
  model: LanguageModel,
  requests: readonly CompletionRequest[],
  signal?: AbortSignal,
): Promise<Answer<T>[]> {
  signal?.throwIfAborted();
  if (requests.length === 0) return [];
  const first = await model.complete<T>(requests, signal);
  const misfits = first.flatMap((completion, index) => (completion.value === undefined ? [index] : []));
  const second =
    misfits.length === 0
      ? []
      : await model.complete<T>(
          misfits.map((index) => secondTry(requests[index])),
          signal,
        );
  const retried = new Map(misfits.map((index, position) => [index, second[position]]));
  return first.map((completion, index) => answerOf(completion, retried.get(index)));
}

function secondTry(request: CompletionRequest): CompletionRequest {
  return {
    ...request,
    seed: (request.seed ?? 0) + 1,
    temperature: request.temperature ? request.temperature : retryTemperature,
  };
}

function answerOf<T>(first: Completion<T>, second: Completion<T> | undefined): Answer<T> {
  const usage = second ? addUsage(usageOf(first), usageOf(second)) : usageOf(first);
  const { value, problem } = second ?? first;
  if (value !== undefined) return { ok: true, value, usage };
  return { ok: false, problem: problem ?? 'The answer does not fit its schema.', usage };
}

/** What one completion or choice adds to a stage's usage. */
export function usageOf({ usage, cached }: Pick<Completion<unknown>, 'usage' | 'cached'>): Usage {
  if (cached) return { calls: 0, cached: 1, inputTokens: 0, outputTokens: 0, milliseconds: 0 };
  const { inputTokens, outputTokens, milliseconds } = usage;
  return { calls: 1, cached: 0, inputTokens, outputTokens, milliseconds };
}

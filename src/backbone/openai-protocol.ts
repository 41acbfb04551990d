import { SelfIndexError } from '../base/errors.ts';

/** What is used of an answer of `chat/completions`. */
export interface ChatAnswer {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the first token: the likeliest with their log probabilities. */
  readonly first: readonly { readonly token: string; readonly logprob: number }[];
}

/** @throws SelfIndexError `endpoint-failed` for anything that is no such answer */
export function chatAnswerOf(body: unknown): ChatAnswer {
  const message = at(body, 'choices', 0, 'message');
  const content = at(message, 'content');
  // A model that only reasons, or refuses, leaves the content null.
  if (typeof content !== 'string' && (content !== null || message === undefined))
    throw new SelfIndexError(
      'endpoint-failed',
      'The endpoint did not answer as chat completions do: there is no choices[0].message.content. Is the address right (…/v1)?',
    );
  const logprobs = at(body, 'choices', 0, 'logprobs', 'content', 0, 'top_logprobs');
  return {
    text: content ?? '',
    inputTokens: count(at(body, 'usage', 'prompt_tokens')),
    outputTokens: count(at(body, 'usage', 'completion_tokens')),
    first: Array.isArray(logprobs) ? logprobs.filter(isLogprob) : [],
  };
}

/**
 * Probabilities of the options from the first token's log probabilities; tokens that differ in white space alone count together.
 *
 * @throws SelfIndexError `endpoint-failed` where none of the options is among the tokens it returned
 */
export function choiceOf(answer: ChatAnswer, options: readonly string[]): Float32Array {
  const masses = options.map((option) =>
    answer.first
      .filter(({ token }) => token.trim() === option.trim())
      .reduce((sum, { logprob }) => sum + Math.exp(logprob), 0),
  );
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  if (!(total > 0))
    throw new SelfIndexError(
      'endpoint-failed',
      answer.first.length === 0
        ? 'The endpoint returns no log probabilities: judge with complete answers instead.'
        : 'None of the options is among the tokens that the endpoint deems likely.',
    );
  return Float32Array.from(masses, (mass) => mass / total);
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here: unknown = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function isLogprob(value: unknown): value is { token: string; logprob: number } {
  return typeof at(value, 'token') === 'string' && typeof at(value, 'logprob') === 'number';
}

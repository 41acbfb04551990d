import type { JsonValue } from '../base/json.ts';
import { parseAnswer } from './parse-answer.ts';
import type { Choice, ChoiceRequest, Completion, CompletionRequest, LanguageModel } from './types.ts';

/** Where a request stood: `call` counts the calls of `complete` (or `choose`) from 0, `place` the requests of that call. */
export interface FakePlace {
  readonly call: number;
  readonly place: number;
  readonly batch: number;
}

export interface FakeModelOptions {
  /** The answer to one request: text as it is, anything else as JSON. An exception is a failing model. */
  readonly answer?: (request: CompletionRequest, place: FakePlace) => string | Exclude<JsonValue, string>;
  /** One weight per option, normalised to sum 1; without it the model has no `choose`. */
  readonly weigh?: (request: ChoiceRequest, place: FakePlace) => readonly number[];
  /** Called before each answer; what it awaits delays the call, and an abort in the meantime rejects it. */
  readonly before?: () => Promise<void>;
  readonly id?: string;
  readonly contextTokens?: number;
  readonly batchSize?: number;
  readonly batchSensitive?: boolean;
  readonly promptStyle?: 'full' | 'compact';
}

/**
 * Not a language model: answers come from a function, deterministically and at once. For tests of what stands behind the
 * `LanguageModel` interface; `calls` and `choices` are the ledger of all that was asked. A token is four UTF-16 units.
 */
export class FakeLanguageModel implements LanguageModel {
  readonly id: string;
  readonly contextTokens: number;
  readonly batchSize: number;
  readonly batchSensitive: boolean;
  readonly promptStyle: 'full' | 'compact';
  readonly choose?: (requests: readonly ChoiceRequest[], signal?: AbortSignal) => Promise<Choice[]>;

  /** Every call of `complete`, with its requests. */
  readonly calls: (readonly CompletionRequest[])[] = [];
  /** Every call of `choose`. */
  readonly choices: (readonly ChoiceRequest[])[] = [];
  disposed = false;

  constructor(private readonly options: FakeModelOptions = {}) {
    this.id = options.id ?? 'fake';
    this.contextTokens = options.contextTokens ?? 4096;
    this.batchSize = options.batchSize ?? 8;
    this.batchSensitive = options.batchSensitive ?? false;
    this.promptStyle = options.promptStyle ?? 'full';
    const { weigh } = options;
    if (weigh) this.choose = (requests, signal) => this.weighed(requests, weigh, signal);
  }

  /** Requests asked so far, of either kind. */
  get asked(): number {
    return [...this.calls, ...this.choices].reduce((sum, batch) => sum + batch.length, 0);
  }

  async complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    signal?.throwIfAborted();
    const call = this.calls.push(requests) - 1;
    await this.options.before?.();
    signal?.throwIfAborted();
    return requests.map((request, place) => {
      const answer = this.options.answer?.(request, { call, place, batch: requests.length }) ?? '';
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return {
        ...parseAnswer<T>(text, request.schema),
        text,
        usage: { inputTokens: promptTokens(request), outputTokens: tokens(text), milliseconds: 1 },
      };
    });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
  }

  private async weighed(
    requests: readonly ChoiceRequest[],
    weigh: NonNullable<FakeModelOptions['weigh']>,
    signal?: AbortSignal,
  ): Promise<Choice[]> {
    signal?.throwIfAborted();
    const call = this.choices.push(requests) - 1;
    await this.options.before?.();
    signal?.throwIfAborted();
    return requests.map((request, place) => {
      const weights = weigh(request, { call, place, batch: requests.length });
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return {
        probabilities: Float32Array.from(weights, (weight) => weight / sum),
        usage: { inputTokens: promptTokens(request), outputTokens: 1, milliseconds: 1 },
      };
    });
  }
}

function promptTokens(request: ChoiceRequest | CompletionRequest): number {
  return request.messages.reduce((sum, message) => sum + tokens(message.content), 0);
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

import type { JsonSchema } from '../base/json.ts';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /**
   * The part of `content` (UTF-16 units, end exclusive) that may be shortened from its end where a prompt is longer than the
   * context: the document's text. What is outside it, the instructions, is never cut; a prompt that does not fit even with
   * all its cuttable parts gone is refused (`invalid-argument`).
   */
  readonly cuttable?: { readonly start: number; readonly end: number };
}

export interface CompletionRequest {
  readonly messages: readonly Message[];
  /** The answer must be JSON of this shape; without one the answer is plain text and `value` is that string. */
  readonly schema?: JsonSchema;
  readonly maxTokens: number;
  /** Default 0. Without effect where `temperature` is 0. */
  readonly seed?: number;
  /** Default 0: greedy. */
  readonly temperature?: number;
}

export interface CallUsage {
  readonly inputTokens: number;
  /** Of these, what was not computed again since the prompt before began with them too; absent where the runtime does not say. */
  readonly reusedTokens?: number;
  readonly outputTokens: number;
  readonly milliseconds: number;
}

/** One answer. `value` is undefined when it does not fit the schema; `problem` then says how. Never trusted, never thrown. */
export interface Completion<T> {
  readonly value: T | undefined;
  readonly text: string;
  readonly problem?: string;
  readonly usage: CallUsage;
  /** UTF-16 units that were cut from the cuttable parts of the prompt; absent where the model saw all of it. */
  readonly cut?: number;
  /** True where a cache answered: nothing was paid, and `usage` is what the answer once cost. */
  readonly cached?: boolean;
}

export interface ChoiceRequest {
  readonly messages: readonly Message[];
  /** Answers of one token each. */
  readonly options: readonly string[];
}

export interface Choice {
  /** One probability per option, summing to 1. */
  readonly probabilities: Float32Array;
  readonly usage: CallUsage;
  /** As in `Completion`. */
  readonly cut?: number;
  /** As in `Completion`. */
  readonly cached?: boolean;
}

/** A language model (design.md §7). Answers come in the order of the requests. */
export interface LanguageModel {
  /** Model, revision and dtype: part of every cache key. */
  readonly id: string;
  /** Tokens of prompt and answer together. */
  readonly contextTokens: number;
  /** Requests that are best sent together. */
  readonly batchSize: number;
  /**
   * True where a completion depends on the other requests of its batch (dynamic int8): the batch is then part of the cache
   * key. A choice never does.
   */
  readonly batchSensitive: boolean;
  /** In how much detail it can be asked: `full` fills nested schemas, `compact` writes plain lines. */
  readonly promptStyle: 'full' | 'compact';
  /**
   * What a schema does. `enforced`: the model can write nothing else, so an answer that ends within `maxTokens` fits (but
   * for a schema that its grammar does not know: then as below). `checked` (default): it is told, and its answer looked at.
   */
  readonly schemas?: 'enforced' | 'checked';
  complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]>;
  /** Probabilities of one-token answers, in one pass; absent where the runtime cannot. */
  choose?(requests: readonly ChoiceRequest[], signal?: AbortSignal): Promise<Choice[]>;
  dispose(): Promise<void>;
}

/** Where answers are kept (the store implements it). */
export interface AnswerCache {
  get(hashes: readonly string[]): Promise<unknown[]>;
  put(entries: readonly { readonly hash: string; readonly answer: unknown }[]): Promise<void>;
}

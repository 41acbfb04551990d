import { sha256Hex } from '../base/hash.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { fitPrompt } from './fit-prompt.ts';
import { addressOf, Endpoint } from './openai-endpoint.ts';
import type { EndpointOptions } from './openai-endpoint.ts';
import { chatAnswerOf, choiceOf } from './openai-protocol.ts';
import { inParallel } from './parallel.ts';
import { parseAnswer } from './parse-answer.ts';
import type {
  CallUsage,
  Choice,
  ChoiceRequest,
  Completion,
  CompletionRequest,
  LanguageModel,
  Message,
} from './types.ts';

export interface OpenAiOptions extends EndpointOptions {
  /** The base of the API, as its documentation gives it: `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** Default 8192. Longer prompts are cut here, by an estimate of three bytes a token. */
  readonly contextTokens?: number;
  /** Requests under way at once. Default 4. */
  readonly parallel?: number;
  /** Default `full`. */
  readonly promptStyle?: 'full' | 'compact';
  /** True where the endpoint returns `top_logprobs`: then the model can `choose`. Default false. */
  readonly logprobs?: boolean;
}

const mostLogprobs = 20;

/**
 * Any endpoint that speaks the chat completions of OpenAI: llama.cpp's server, Ollama, vLLM, or a service. What is asked
 * leaves the machine for that address. A schema is sent as `response_format`; the answer is checked all the same. 429 and
 * 5xx are tried again, five times at most, after what `Retry-After` says (a minute at most) or 1, 2, 4, 8 s.
 *
 * @throws SelfIndexError `invalid-argument` for an address that is none; from calls `endpoint-failed`, with `details.status`
 */
export function createOpenAiModel(options: OpenAiOptions): LanguageModel {
  const base = addressOf(options.url);
  const { model, parallel = 4, contextTokens = 8192, promptStyle = 'full', logprobs = false } = options;
  const endpoint = new Endpoint(new URL('chat/completions', base), options);

  async function send(messages: readonly Message[], maxTokens: number, more: object, signal?: AbortSignal) {
    const prompt = await fitPrompt(messages, contextTokens - maxTokens, estimateTokens);
    const began = performance.now();
    const body = {
      model,
      messages: prompt.messages.map(({ role, content }) => ({ role, content })),
      max_tokens: maxTokens,
      ...more,
    };
    const answer = chatAnswerOf(await endpoint.post(body, signal));
    const { inputTokens, outputTokens } = answer;
    const usage: CallUsage = { inputTokens, outputTokens, milliseconds: performance.now() - began };
    return { answer, said: { usage, ...(prompt.cut > 0 && { cut: prompt.cut }) } };
  }

  async function completeOne<T>(request: CompletionRequest, signal?: AbortSignal): Promise<Completion<T>> {
    const { messages, schema, maxTokens, seed = 0, temperature = 0 } = request;
    const format = schema && { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } };
    const more = { seed, temperature, ...(format && { response_format: format }) };
    const { answer, said } = await send(messages, maxTokens, more, signal);
    return { ...parseAnswer<T>(answer.text, schema), text: answer.text, ...said };
  }

  async function chooseOne({ messages, options }: ChoiceRequest, signal?: AbortSignal): Promise<Choice> {
    const more = { temperature: 0, logprobs: true, top_logprobs: mostLogprobs };
    const { answer, said } = await send(messages, 1, more, signal);
    return { probabilities: choiceOf(answer, options), ...said };
  }

  return {
    // A key is no part of what answers; the address is, but may hold one in its query.
    id: `openai:${base.origin}${base.pathname}#${model}${base.search && `?${sha256Hex(base.search).slice(0, 8)}`}`,
    contextTokens,
    batchSize: parallel,
    batchSensitive: false,
    promptStyle,
    complete: <T>(requests: readonly CompletionRequest[], signal?: AbortSignal) =>
      inParallel(requests, parallel, signal, (request, own) => completeOne<T>(request, own)),
    ...(logprobs && {
      choose: (requests: readonly ChoiceRequest[], signal?: AbortSignal) =>
        inParallel(requests, parallel, signal, chooseOne),
    }),
    dispose: async () => {},
  };
}

import type { ChatCompletionChunk } from '@mlc-ai/web-llm';
import { estimateTokens } from '../estimate-tokens.ts';
import { fitPrompt } from '../fit-prompt.ts';
import { parseAnswer } from '../parse-answer.ts';
import { Turns } from '../turns.ts';
import type { Completion, CompletionRequest, LanguageModel } from '../types.ts';
import type { WebLlmClient } from './client.ts';
import { tokensOfRefused, webLlmError } from './failures.ts';

/** As in sampling.ts: of the probabilities the smallest head that holds this much is sampled from. */
const nucleus = 0.95;
/** Estimates of a prompt's length that are tried, each made from what the one before was wrong by. */
const mostTries = 3;

/**
 * A model in WebLLM, on the GPU. Requests are answered one after the other. WebLLM counts no tokens beforehand: a prompt is cut by an
 * estimate, and once more by its own count where it refuses that.
 */
export class WebLlmModel implements LanguageModel {
  readonly batchSize = 1;
  readonly batchSensitive = false;
  readonly promptStyle = 'full';
  readonly schemas = 'enforced';
  private readonly turns = new Turns();
  private streams = 0;

  constructor(
    private readonly client: WebLlmClient,
    private readonly name: string,
    readonly id: string,
    readonly contextTokens: number,
  ) {}

  complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    return this.turns.run(signal, async () => {
      const completions: Completion<T>[] = [];
      try {
        for (const request of requests) completions.push(await this.completeOne<T>(request, signal));
      } catch (error) {
        signal?.throwIfAborted();
        throw webLlmError(this.name, error, 'model-failed');
      }
      return completions;
    });
  }

  async dispose(): Promise<void> {
    await this.turns.idle();
    this.client.terminate();
  }

  private async completeOne<T>(request: CompletionRequest, signal?: AbortSignal): Promise<Completion<T>> {
    const { messages, schema, maxTokens } = request;
    const budget = this.contextTokens - maxTokens;
    const began = performance.now();
    let factor = 1;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const prompt = await fitPrompt(messages, budget, (shortened) =>
        Math.ceil(estimateTokens(shortened) * factor),
      );
      try {
        const { text, inputTokens, outputTokens } = await this.ask({ ...request, ...prompt }, signal);
        return {
          ...parseAnswer<T>(text, schema),
          text,
          usage: { inputTokens, outputTokens, milliseconds: performance.now() - began },
          ...(prompt.cut > 0 && { cut: prompt.cut }),
        };
      } catch (error) {
        const counted = tokensOfRefused(error);
        if (counted === undefined || attempt === mostTries) throw error;
        // A little more than it was wrong by: the next text need not be as dense.
        factor *= Math.max(1.05, (1.05 * counted) / prompt.tokens);
      }
    }
  }

  private async ask(request: CompletionRequest, signal?: AbortSignal) {
    const { messages, schema, maxTokens, seed = 0, temperature = 0 } = request;
    const streamId = `stream-${++this.streams}`;
    const stop = () => this.client.tell('interruptGenerate', null);
    signal?.addEventListener('abort', stop, { once: true });
    let text = '';
    let usage: ChatCompletionChunk['usage'];
    let done = false;
    try {
      await this.client.call('chatCompletionStreamInit', {
        streamId,
        selectedModelId: this.name,
        modelId: [this.name],
        request: {
          messages: messages.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
          stream: true,
          stream_options: { include_usage: true },
          max_tokens: maxTokens,
          seed,
          temperature,
          top_p: nucleus,
          ...(schema && { response_format: { type: 'json_object', schema: JSON.stringify(schema) } }),
        },
      });
      for (;;) {
        signal?.throwIfAborted();
        const chunk = (await this.client.call('completionStreamNextChunk', { streamId })) as
          ChatCompletionChunk | undefined;
        if (!chunk) break;
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
      }
      done = true;
    } finally {
      signal?.removeEventListener('abort', stop);
      // What was left in the middle holds the engine's lock until it is let go.
      if (!done) await this.client.call('completionStreamReturn', { streamId }).catch(() => undefined);
    }
    return {
      text,
      inputTokens: usage?.prompt_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
    };
  }
}

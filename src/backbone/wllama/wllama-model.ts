import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import { fitPrompt } from '../fit-prompt.ts';
import { parseAnswer } from '../parse-answer.ts';
import { Turns } from '../turns.ts';
import type {
  Choice,
  ChoiceRequest,
  Completion,
  CompletionRequest,
  LanguageModel,
  Message,
} from '../types.ts';
import { chat } from './chat.ts';
import type { ChatMessage, StreamedAnswer, TokenCounter, Wllama } from './chat.ts';

export interface WllamaTraits extends Pick<LanguageModel, 'id' | 'contextTokens' | 'promptStyle'> {
  /** Ids by spelling. */
  readonly tokens: ReadonlyMap<string, number>;
  /** Spellings of tokens that begin and end messages. */
  readonly control: readonly string[];
}

/** Added to the logits of all options alike: no other token is then among the likeliest, and their ratios stay. */
const optionBias = 100;
/** As in sampling.ts: of the probabilities the smallest head that holds this much is sampled from. */
const nucleus = 0.95;

/**
 * A GGUF model in llama.cpp. Requests are answered one after the other: a second one at once would bring nothing on a CPU, and
 * what a prompt shares with the one before at its start is not computed again.
 */
export class WllamaModel implements LanguageModel {
  readonly id: string;
  readonly contextTokens: number;
  readonly batchSize = 1;
  readonly batchSensitive = false;
  readonly schemas = 'enforced';
  readonly promptStyle: 'full' | 'compact';
  private readonly turns = new Turns();
  private broken: SelfIndexError | undefined;

  constructor(
    private readonly wllama: Wllama,
    private readonly counter: TokenCounter,
    private readonly traits: WllamaTraits,
  ) {
    this.id = traits.id;
    this.contextTokens = traits.contextTokens;
    this.promptStyle = traits.promptStyle;
  }

  complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    return this.inTurn(signal, async () => {
      const completions: Completion<T>[] = [];
      for (const { messages, schema, maxTokens, seed = 0, temperature = 0 } of requests) {
        const { answer, said } = await this.ask(messages, maxTokens, signal, {
          seed,
          temperature,
          ...(temperature > 0 && { samplers: ['temperature', 'top_p'], top_p: nucleus }),
          ...(schema && {
            response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
          }),
        });
        completions.push({ ...parseAnswer<T>(answer.text, schema), text: answer.text, ...said });
      }
      return completions;
    });
  }

  choose(requests: readonly ChoiceRequest[], signal?: AbortSignal): Promise<Choice[]> {
    return this.inTurn(signal, async () => {
      const choices: Choice[] = [];
      for (const { messages, options } of requests) {
        const ids = this.optionIds(options);
        const { answer, said } = await this.ask(messages, 1, signal, {
          ...{ samplers: ['top_k', 'temperature'], top_k: ids.length, temperature: 1 },
          logit_bias: ids.map((id) => [id, optionBias]),
          ...{ logprobs: true, top_logprobs: ids.length, post_sampling_probs: true },
        });
        choices.push({ probabilities: probabilitiesOf(answer, ids), ...said });
      }
      return choices;
    });
  }

  async dispose(): Promise<void> {
    await this.turns.idle();
    await this.wllama.exit();
  }

  private async ask(
    messages: readonly Message[],
    maxTokens: number,
    signal: AbortSignal | undefined,
    options: object,
  ) {
    signal?.throwIfAborted();
    const began = performance.now();
    const budget = this.contextTokens - maxTokens;
    const prompt = await fitPrompt(messages, budget, (shortened) => {
      signal?.throwIfAborted();
      return this.measure(shortened, budget);
    });
    const plain = this.plain(prompt.messages);
    const answer = await chat(this.wllama, plain, { max_tokens: maxTokens, ...options }, signal);
    return { answer, said: { usage: usageOf(answer, began), ...(prompt.cut > 0 && { cut: prompt.cut }) } };
  }

  /** Exact only where it matters: no token is less than a byte, so most prompts are seen to fit without counting. */
  private async measure(messages: readonly Message[], budget: number): Promise<number> {
    const plain = this.plain(messages);
    const encoder = new TextEncoder();
    const bytes = plain.reduce((sum, { content }) => sum + encoder.encode(content).length, 0);
    const most = bytes + this.counter.overhead * Math.max(1, messages.length);
    return most <= budget ? most : this.counter.count(plain);
  }

  /**
   * Texts are data: where one spells a token that ends a message or begins another, it is spelt apart. Half a surrogate pair,
   * at which llama.cpp would break, becomes �.
   */
  private plain(messages: readonly Message[]): ChatMessage[] {
    return messages.map(({ role, content }) => ({
      role,
      content: this.traits.control.reduce(
        (text, token) => text.replaceAll(token, `${token.slice(0, 1)} ${token.slice(1)}`),
        content.toWellFormed(),
      ),
    }));
  }

  private optionIds(options: readonly string[]): number[] {
    const ids = options.map((option) => {
      const id = this.traits.tokens.get(option);
      if (id === undefined)
        throw new SelfIndexError(
          'invalid-argument',
          `The option ${JSON.stringify(option)} is not one token of this model; each must be one.`,
        );
      return id;
    });
    if (new Set(ids).size !== ids.length || ids.length === 0)
      throw new SelfIndexError('invalid-argument', 'Options must be different, and at least one.');
    return ids;
  }

  private inTurn<R>(signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
    return this.turns.run(signal, async () => {
      if (this.broken) throw this.broken;
      try {
        return await work();
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof SelfIndexError || isAbort(error)) throw error;
        throw this.failure(error);
      }
    });
  }

  /** An exception in WebAssembly leaves it in no known state; a refusal of a request does not. */
  private failure(cause: unknown): SelfIndexError {
    const refused = cause instanceof Error && (cause as { type?: unknown }).type === 'inference_error';
    const error = new SelfIndexError(
      'model-failed',
      `The language model failed: ${messageOf(cause)}.${refused ? '' : ' Reload it.'}`,
      { cause },
    );
    if (!refused) this.broken = error;
    return error;
  }
}

function probabilitiesOf({ first }: StreamedAnswer, ids: readonly number[]): Float32Array {
  const masses = ids.map((id) => first.find((token) => token.id === id)?.probability ?? 0);
  const total = masses.reduce((sum, mass) => sum + mass, 0);
  if (!(total > 0))
    throw new SelfIndexError('model-failed', 'The language model weighed none of the options.');
  return Float32Array.from(masses, (mass) => mass / total);
}

function usageOf({ inputTokens, outputTokens, reusedTokens }: StreamedAnswer, began: number) {
  return { inputTokens, outputTokens, reusedTokens, milliseconds: performance.now() - began };
}

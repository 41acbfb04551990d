import { SelfIndexError } from '../../base/errors.ts';

/** What is used of a wllama: its own types follow all of OpenAI's, which this does not want. */
export interface Wllama {
  createChatCompletion(options: object): Promise<void>;
  exit(): Promise<void>;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

export interface StreamedAnswer {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the prompt's tokens, those that were still known from the one before. */
  readonly reusedTokens: number;
  /** Of the first token: the likeliest, where they were asked for. */
  readonly first: readonly { readonly id: number; readonly probability: number }[];
}

/**
 * Asks for an answer as a stream, so that an abort is noticed between two tokens (and two slices of the prompt), and returns it
 * whole.
 *
 * @throws what wllama throws
 */
export async function chat(
  wllama: Wllama,
  messages: readonly ChatMessage[],
  options: object,
  signal?: AbortSignal,
): Promise<StreamedAnswer> {
  let text = '';
  let usage: Chunk['usage'];
  let first: StreamedAnswer['first'] = [];
  await wllama.createChatCompletion({
    messages,
    cache_prompt: true,
    ...options,
    stream: true,
    stream_options: { include_usage: true },
    abortSignal: signal,
    onData: ({ choices: [choice] = [], usage: said }: Chunk) => {
      text += choice?.delta?.content ?? '';
      const likely = choice?.logprobs?.content?.[0]?.top_probs;
      if (likely && first.length === 0) first = likely.map(({ id, prob }) => ({ id, probability: prob }));
      usage = said ?? usage;
    },
  });
  return {
    text,
    inputTokens: usage?.prompt_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
    reusedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    first,
  };
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null };
    readonly logprobs?: {
      readonly content?: readonly {
        readonly top_probs?: readonly { readonly id: number; readonly prob: number }[];
      }[];
    };
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  };
}

/** Of a prompt that is longer than the context, how long it is: wllama says so before it computes anything. */
const tooLong = /request \((\d+) tokens\) exceeds/;

/** A character that no tokeniser joins with another: at least one token each. */
const filler = '\u{10fffd}';

/**
 * Counts the tokens of prompts. wllama has no call for it, but refuses a prompt that is too long by naming its length, which
 * costs no computing. So a prompt is made too long by a filler of known length at its end.
 */
export class TokenCounter {
  private constructor(
    private readonly wllama: Wllama,
    private readonly filler: string,
    private readonly fillerTokens: number,
    /** Of a prompt of one short message: what the template and its own system prompt take, and a little more. */
    readonly overhead: number,
  ) {}

  /** Measures the filler by a first short call of the model, `window` being the tokens that it can hold. */
  static async create(wllama: Wllama, window: number): Promise<TokenCounter> {
    const probe = [{ role: 'user', content: 'a' }];
    const { inputTokens } = await chat(wllama, probe, { max_tokens: 1, temperature: 0 });
    const raw = new TokenCounter(wllama, filler.repeat(window), 0, 0);
    const counted = await raw.count(probe);
    return new TokenCounter(wllama, raw.filler, counted - inputTokens, inputTokens);
  }

  /** Tokens of the whole prompt, template included; where text and filler meet it may be off by one or two. */
  async count(messages: readonly ChatMessage[]): Promise<number> {
    const last = messages.length - 1;
    const longer = messages.map((message, i) =>
      i === last ? { ...message, content: message.content + this.filler } : message,
    );
    try {
      await chat(this.wllama, longer, { max_tokens: 1, temperature: 0 });
    } catch (error) {
      const match = error instanceof Error ? tooLong.exec(error.message) : null;
      if (match) return Number(match[1]) - this.fillerTokens;
      throw error;
    }
    throw new SelfIndexError('model-failed', 'The length of the prompt could not be found out.');
  }
}

import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { LoadOptions } from '../../embed/model-files.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { fitPrompt } from '../fit-prompt.ts';
import { parseAnswer } from '../parse-answer.ts';
import { Turns } from '../turns.ts';
import type { Completion, CompletionRequest, LanguageModel, Message } from '../types.ts';

/** What is used of the browser's Prompt API (https://github.com/webmachinelearning/prompt-api). */
export interface PromptApi {
  availability(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: {
    readonly initialPrompts?: readonly PromptMessage[];
    readonly signal?: AbortSignal;
    readonly temperature?: number;
    readonly topK?: number;
  }): Promise<PromptSession>;
  /** Only where temperature and topK may be set. */
  params?(): Promise<{ readonly defaultTopK: number } | null>;
}

export interface PromptSession {
  promptStreaming(
    input: readonly PromptMessage[],
    options: { readonly signal?: AbortSignal; readonly responseConstraint?: object },
  ): ReadableStream<string>;
  measureInputUsage?(input: readonly PromptMessage[]): Promise<number>;
  readonly inputQuota?: number;
  destroy(): void;
}

interface PromptMessage {
  readonly role: Message['role'];
  readonly content: string;
}

const defaultContext = 4096;

/**
 * The language model that the browser itself brings, where it says that it is available. It lives in the page: workers do not have
 * it. Nothing is known of the model but the browser's version, it takes no seed, and temperature only where the browser lets pages
 * set it. `maxTokens` counts pieces of its stream.
 *
 * @throws SelfIndexError `device-unsupported` where there is none, or the browser has yet to download it (`details.availability`);
 *   `model-load-failed` where it does not start
 */
export async function loadPromptApi({ signal }: LoadOptions = {}): Promise<LanguageModel> {
  const api = (globalThis as { LanguageModel?: PromptApi }).LanguageModel;
  const availability = (await api?.availability().catch(() => undefined)) ?? 'unavailable';
  signal?.throwIfAborted();
  if (!api || availability !== 'available')
    throw new SelfIndexError(
      'device-unsupported',
      availability === 'unavailable'
        ? 'This browser brings no language model of its own (no Prompt API). Choose another.'
        : 'This browser has not downloaded its language model yet, and this page does not make it. Download it in the settings of the browser, or choose another.',
      { details: { availability } },
    );
  try {
    const probe = await api.create({ signal });
    const contextTokens = probe.inputQuota ?? defaultContext;
    const counts = probe.measureInputUsage !== undefined;
    const params = (await api.params?.()) ?? undefined;
    probe.destroy();
    return new PromptApiModel(api, contextTokens, counts, params?.defaultTopK);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SelfIndexError(
      'model-load-failed',
      `The browser's own language model did not start: ${messageOf(cause)}.`,
      { cause },
    );
  }
}

class PromptApiModel implements LanguageModel {
  readonly id: string;
  readonly batchSize = 1;
  readonly batchSensitive = false;
  readonly promptStyle = 'full';
  readonly schemas = 'enforced';
  private readonly turns = new Turns();
  private disposed = false;

  constructor(
    private readonly api: PromptApi,
    readonly contextTokens: number,
    private readonly counts: boolean,
    private readonly topK: number | undefined,
  ) {
    this.id = `prompt-api@${/\w+\/\d+(?= Safari|$)/.exec(navigator.userAgent)?.[0] ?? navigator.userAgent}`;
  }

  complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    return this.turns.run(signal, async () => {
      const completions: Completion<T>[] = [];
      try {
        for (const request of requests) completions.push(await this.completeOne<T>(request, signal));
      } catch (error) {
        signal?.throwIfAborted();
        throw failure(error);
      }
      return completions;
    });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    await this.turns.idle();
  }

  private async completeOne<T>(request: CompletionRequest, signal?: AbortSignal): Promise<Completion<T>> {
    if (this.disposed)
      throw new SelfIndexError('model-not-found', 'This model has been disposed of. Load it again.');
    const { messages, schema, maxTokens, temperature = 0 } = request;
    const began = performance.now();
    // A session remembers what was said in it: each answer gets its own.
    const session = await this.api.create({
      signal,
      ...(this.topK !== undefined && { temperature, topK: temperature === 0 ? 1 : this.topK }),
    });
    try {
      const measure = async (shortened: readonly Message[]) => {
        signal?.throwIfAborted();
        return (await session.measureInputUsage?.(plain(shortened))) ?? estimateTokens(shortened);
      };
      const prompt = await fitPrompt(messages, this.contextTokens - maxTokens, (shortened) =>
        this.counts ? measure(shortened) : estimateTokens(shortened),
      );
      const stream = session.promptStreaming(plain(prompt.messages), {
        signal,
        ...(schema && { responseConstraint: schema }),
      });
      const { text, pieces } = await read(stream, maxTokens);
      return {
        ...parseAnswer<T>(text, schema),
        text,
        usage: {
          inputTokens: prompt.tokens,
          outputTokens: pieces,
          milliseconds: performance.now() - began,
        },
        ...(prompt.cut > 0 && { cut: prompt.cut }),
      };
    } finally {
      session.destroy();
    }
  }
}

function plain(messages: readonly Message[]): PromptMessage[] {
  return messages.map(({ role, content }) => ({ role, content: content.toWellFormed() }));
}

/** As much as may be said: the API has no limit of its own. */
async function read(
  stream: ReadableStream<string>,
  most: number,
): Promise<{ readonly text: string; readonly pieces: number }> {
  let text = '';
  let pieces = 0;
  const reader = stream.getReader();
  while (pieces < most) {
    const { done, value } = await reader.read();
    if (done) return { text, pieces };
    text += value;
    pieces++;
  }
  await reader.cancel();
  return { text, pieces };
}

function failure(cause: unknown): unknown {
  if (cause instanceof SelfIndexError || isAbort(cause)) return cause;
  return new SelfIndexError('model-failed', `The browser's own language model failed: ${messageOf(cause)}.`, {
    cause,
  });
}

import { SelfIndexError } from '../base/errors.ts';
import type { Message } from './types.ts';

/** Tokens of a whole prompt. */
export type Measure = (messages: readonly Message[]) => number | Promise<number>;

export interface FittedPrompt {
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** UTF-16 units cut from the cuttable parts. */
  readonly cut: number;
}

/** Units beyond which no token of a prompt of `budget` tokens can lie; bounds what is tokenised of a text of megabytes. */
const unitsPerToken = 32;

/**
 * The longest form of a prompt that fits in `budget` tokens: its cuttable parts are shortened from their ends, all to one
 * length at most; everything else stands. `measure` counts the tokens of the whole prompt; it is asked about a dozen times
 * where something must go, once where nothing must.
 *
 * @throws SelfIndexError `invalid-argument` where it does not fit even without its cuttable parts
 */
export async function fitPrompt(
  messages: readonly Message[],
  budget: number,
  measure: Measure,
): Promise<FittedPrompt> {
  const longest = Math.max(0, ...messages.map((message) => unitsOf(message)));
  const start = Math.min(longest, Math.max(0, budget) * unitsPerToken);
  const first = await attempt(messages, start, measure);
  if (first.tokens <= budget) return first;

  let fitting = await attempt(messages, 0, measure);
  if (fitting.tokens > budget)
    throw new SelfIndexError(
      'invalid-argument',
      `The prompt needs ${fitting.tokens} tokens without the parts that may be cut; ${Math.max(0, budget)} are left beside the answer. Shorten it, or use a model with a longer context.`,
      { details: { tokens: fitting.tokens, budget } },
    );
  let low = 0;
  let high = start;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const candidate = await attempt(messages, middle, measure);
    if (candidate.tokens <= budget) {
      fitting = candidate;
      low = middle;
    } else high = middle;
  }
  return fitting;
}

async function attempt(messages: readonly Message[], limit: number, measure: Measure): Promise<FittedPrompt> {
  const shortened = messages.map((message) => shorten(message, limit));
  const cut = messages.reduce(
    (sum, message, i) => sum + message.content.length - shortened[i].content.length,
    0,
  );
  return { messages: shortened, tokens: await measure(shortened), cut };
}

function unitsOf({ cuttable }: Message): number {
  return cuttable ? Math.max(0, cuttable.end - cuttable.start) : 0;
}

function shorten(message: Message, limit: number): Message {
  const { content, cuttable } = message;
  if (!cuttable || unitsOf(message) <= limit) return message;
  let end = cuttable.start + limit;
  // Never in the middle of a surrogate pair.
  if (end > cuttable.start && content.charCodeAt(end - 1) >= 0xd800 && content.charCodeAt(end - 1) < 0xdc00)
    end--;
  return { ...message, content: content.slice(0, end) + content.slice(cuttable.end) };
}

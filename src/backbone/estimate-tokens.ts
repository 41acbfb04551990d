import type { Message } from './types.ts';

const bytesPerToken = 3;
/** What a chat template puts around a message. */
const tokensPerMessage = 8;

/** How many tokens a prompt has at most, most likely, where the tokeniser is not at hand: one for three bytes of UTF-8. */
export function estimateTokens(messages: readonly Message[]): number {
  const encoder = new TextEncoder();
  return messages.reduce(
    (sum, { content }) => sum + tokensPerMessage + Math.ceil(encoder.encode(content).length / bytesPerToken),
    0,
  );
}

import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { WebLlmFailure } from './client.ts';

/** What WebLLM's texts mean, the first that matches. */
const kinds: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^IntegrityError/, 'model-corrupt', 'A file of the model is not the one that was meant. Fetch it again.'],
  [
    /^(ShaderF16SupportError|FeatureSupportError|WebGPUNot\w+Error)/,
    'device-unsupported',
    'The GPU cannot run this model. Choose one that runs on the CPU.',
  ],
  [
    /^DeviceLostError|out of memory|allocat|OOM\b/i,
    'out-of-memory',
    'There is not enough memory on the GPU. Close other tabs, or use a smaller model.',
  ],
  // What the Cache API says of a 404.
  [
    /on 'Cache'|status(?: code)?:? 40[34]|not found/i,
    'model-not-found',
    'A file of the model is missing where it should be.',
  ],
  [/Failed to fetch|NetworkError/i, 'model-load-failed', 'A file of the model could not be fetched.'],
];

/** The typed error for what WebLLM rejected with; errors that are typed already, and aborts, stay as they are. */
export function webLlmError(model: string, cause: unknown, otherwise: ErrorCode): unknown {
  if (cause instanceof SelfIndexError || isAbort(cause)) return cause;
  const text = messageOf(cause);
  const known = cause instanceof WebLlmFailure ? kinds.find(([pattern]) => pattern.test(text)) : undefined;
  const [, code, meaning] = known ?? [/./, otherwise, 'WebLLM failed.'];
  return new SelfIndexError(code, `Model "${model}": ${meaning} (${text.split('\n')[0]})`, {
    details: { model },
    cause,
  });
}

const exceeded = /number of prompt tokens: (\d+)/;

/** Tokens of a prompt that WebLLM refused for its length; undefined for any other failure. */
export function tokensOfRefused(cause: unknown): number | undefined {
  if (!(cause instanceof WebLlmFailure) || !cause.message.startsWith('ContextWindowSizeExceededError'))
    return undefined;
  const match = exceeded.exec(cause.message);
  return match ? Number(match[1]) : undefined;
}

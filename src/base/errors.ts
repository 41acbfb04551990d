import type { JsonValue } from './json.ts';

/** Stable codes: part of the public API, safe to switch on. */
export type ErrorCode =
  | 'invalid-argument'
  | 'unreadable-file'
  | 'unsupported-format'
  | 'document-too-large'
  | 'document-not-found'
  | 'version-not-found'
  | 'version-conflict'
  | 'import-corrupt'
  | 'import-unsupported'
  | 'storage-quota'
  | 'storage-failed'
  | 'storage-closed'
  | 'storage-blocked'
  | 'storage-newer'
  | 'evolution-locked'
  | 'locks-unavailable'
  | 'model-not-found'
  | 'model-corrupt'
  | 'model-load-failed'
  | 'model-failed'
  | 'model-busy'
  | 'model-answer-invalid'
  | 'device-unsupported'
  | 'device-lost'
  | 'endpoint-failed'
  | 'out-of-memory'
  | 'worker-failed'
  | 'internal';

export type ErrorDetails = Readonly<Record<string, JsonValue>>;

/**
 * Every error that this library raises on purpose (design.md §9). The message says what was wrong with what
 * the caller gave and what to do about it; `code` is stable; `details` are plain data for a program.
 * Cancellation is not an error of ours: it rejects with the signal's reason (a DOMException named AbortError).
 */
export class SelfIndexError extends Error {
  override readonly name = 'SelfIndexError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? {};
  }

  readonly details: ErrorDetails;
}

/** True for the rejection of a cancelled call, on either side of a worker boundary. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** The sentence of whatever was thrown, for messages that quote a cause. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

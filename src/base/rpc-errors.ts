import { messageOf, SelfIndexError } from './errors.ts';
import type { ErrorCode, ErrorDetails } from './errors.ts';

/** An error as it crosses a worker boundary: structured cloning alone would lose code, details and class. */
export type WireError =
  | {
      readonly kind: 'self-index';
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: ErrorDetails;
      readonly stack?: string;
      readonly cause?: WireError;
    }
  | {
      readonly kind: 'error' | 'dom';
      readonly name: string;
      readonly message: string;
      readonly stack?: string;
      readonly cause?: WireError;
    }
  | { readonly kind: 'value'; readonly value: unknown };

/** Causes nest no deeper on the wire; a cycle ends here too. */
const deepestCause = 8;

/** Never throws, whatever was thrown: what cannot be cloned crosses as its text. */
export function encodeError(error: unknown, depth = 0): WireError {
  try {
    return encode(error, depth);
  } catch (problem) {
    return {
      kind: 'error',
      name: 'Error',
      message: `An error that cannot be described: ${safeText(problem)}`,
    };
  }
}

function encode(error: unknown, depth: number): WireError {
  if (!(error instanceof Error) && !(error instanceof DOMException))
    return { kind: 'value', value: cloneable(error) };
  // The fields may hold anything: a library can set them as it likes.
  const { name, message, stack } = error as { name: unknown; message: unknown; stack: unknown };
  const common = {
    message: safeText(message),
    ...(typeof stack === 'string' && { stack }),
    ...(error.cause !== undefined && depth < deepestCause && { cause: encodeError(error.cause, depth + 1) }),
  };
  if (error instanceof SelfIndexError)
    return {
      kind: 'self-index',
      code: error.code,
      details: cloneable(error.details) as ErrorDetails,
      ...common,
    };
  return { kind: error instanceof DOMException ? 'dom' : 'error', name: safeText(name), ...common };
}

const nativeErrors: Readonly<Record<string, typeof Error>> = { TypeError, RangeError, SyntaxError };

/** The error again, of the class it had: SelfIndexError with code, details and cause, DOMException (AbortError), TypeError … */
export function decodeError(wire: WireError): unknown {
  if (wire.kind === 'value') return wire.value;
  if (wire.kind === 'dom') return new DOMException(wire.message, wire.name);
  const cause = wire.cause && decodeError(wire.cause);
  const options = cause === undefined ? {} : { cause };
  if (wire.kind === 'self-index')
    return withStack(
      new SelfIndexError(wire.code, wire.message, { details: wire.details, ...options }),
      wire.stack,
    );
  const error = new (nativeErrors[wire.name] ?? Error)(wire.message, options);
  if (error.name !== wire.name) error.name = wire.name;
  return withStack(error, wire.stack);
}

function withStack<E extends Error>(error: E, stack: string | undefined): E {
  if (stack) Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true });
  return error;
}

function cloneable(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return safeText(value);
  }
}

function safeText(value: unknown): string {
  try {
    return typeof value === 'string' ? value : messageOf(value);
  } catch {
    return 'unknown';
  }
}

import { isAbort } from './errors.ts';
import { decodeError, encodeError } from './rpc-errors.ts';
import type { WireError } from './rpc-errors.ts';

/**
 * Cancellation, progress and event streams of calls across a worker boundary. Each such call carries a MessagePort of its own:
 * an abort goes one way, events the other, and it is closed when the call is over.
 */

type ToWorker = { readonly type: 'abort'; readonly reason: WireError };
type FromWorker<T> =
  | { readonly type: 'event'; readonly value: T }
  | { readonly type: 'events'; readonly values: readonly T[] }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: WireError };

export interface CallOptions<P extends readonly unknown[]> {
  readonly signal?: AbortSignal;
  readonly onProgress?: (...progress: P) => void;
}

/**
 * Calls a remote method that takes a port (the far side answers with `answerCall`). An abort is sent on; the call then
 * settles as the far side says, so that a change that was made all the same is not reported as undone. It rejects with
 * the reason of this side's signal.
 */
export async function callRemote<R, P extends readonly unknown[] = []>(
  { signal, onProgress }: CallOptions<P>,
  call: (port: MessagePort | undefined) => Promise<R>,
): Promise<R> {
  signal?.throwIfAborted();
  if (!signal && !onProgress) return call(undefined);
  const { port1, port2 } = new MessageChannel();
  // The result comes another way than the events: without waiting for their end, the last could be lost.
  const ended = new Promise<void>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<FromWorker<P>>) => {
      if (data.type === 'event') onProgress?.(...data.value);
      else if (data.type !== 'events') resolve();
    };
  });
  const unlink = linkAbort(signal, port1);
  try {
    const result = await call(port2);
    await ended;
    return result;
  } catch (error) {
    throw ownReason(error, signal);
  } finally {
    unlink();
    port1.close();
  }
}

/** The far side of `callRemote`: runs `work` with a signal and a listener that reach across. */
export async function answerCall<R, P extends readonly unknown[] = []>(
  port: MessagePort | undefined,
  work: (options: CallOptions<P>) => Promise<R>,
): Promise<R> {
  if (!port) return work({});
  const send = (message: FromWorker<P>) => port.postMessage(message);
  const signal = signalOf(port);
  try {
    return await work({ signal, onProgress: (...value: P) => send({ type: 'event', value }) });
  } finally {
    send({ type: 'end' });
  }
  // Closed by the near side, as in `answerIterable`: what is under way in the port would be lost.
}

/**
 * A remote method's events as an async iterable (the far side answers with `answerIterable`). The call starts with the first
 * `next()`; events that nobody has asked for yet wait in memory. `return()` (a `break`) aborts the work and waits for its end;
 * an abort of `signal` is sent on, and what the far side makes of it, a last event or a rejection, comes through. Can be
 * iterated once.
 */
export function iterateRemote<T>(
  call: (port: MessagePort) => Promise<void>,
  signal?: AbortSignal,
): AsyncIterable<T> {
  const iterator = new RemoteIterator<T>(call, signal);
  return { [Symbol.asyncIterator]: () => iterator };
}

type Result<T> = IteratorResult<T, undefined>;

class RemoteIterator<T> implements AsyncIterator<T, undefined> {
  private readonly ready: T[] = [];
  private readonly waiting: ((result: Result<T> | Promise<Result<T>>) => void)[] = [];
  private port: MessagePort | undefined;
  private over: { readonly error?: unknown } | undefined;
  private finished: Promise<void> = Promise.resolve();
  private unlink = () => {};

  constructor(
    private readonly call: (port: MessagePort) => Promise<void>,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async next(): Promise<Result<T>> {
    if (this.ready.length > 0) return { done: false, value: this.ready.shift() as T };
    if (this.over) return this.end();
    if (!this.port) this.start();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  async return(): Promise<Result<T>> {
    this.ready.length = 0;
    if (!this.over) {
      this.port?.postMessage(abortMessage(new DOMException('The iteration was left.', 'AbortError')));
      this.finish({});
    }
    await this.finished;
    return { done: true, value: undefined };
  }

  private start(): void {
    this.signal?.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromWorker<T>>) => this.receive(data);
    this.unlink = linkAbort(this.signal, port1);
    this.finished = this.call(port2).then(
      () => {},
      (error: unknown) => this.finish({ error: ownReason(error, this.signal) }),
    );
  }

  private receive(message: FromWorker<T>): void {
    if (this.over) return;
    if (message.type === 'end') this.finish({});
    else if (message.type === 'error')
      this.finish({ error: ownReason(decodeError(message.error), this.signal) });
    else for (const value of message.type === 'event' ? [message.value] : message.values) this.deliver(value);
  }

  private deliver(value: T): void {
    const waiting = this.waiting.shift();
    if (waiting) waiting({ done: false, value });
    else this.ready.push(value);
  }

  private finish(over: { readonly error?: unknown }): void {
    if (this.over) return;
    this.over = over;
    this.unlink();
    this.port?.close();
    for (const resolve of this.waiting.splice(0)) resolve(this.end());
  }

  /** An error is told once; afterwards the iterator is simply done. */
  private async end(): Promise<Result<T>> {
    const over = this.over;
    this.over = {};
    if (over && 'error' in over) throw over.error;
    return { done: true, value: undefined };
  }
}

/**
 * Milliseconds for which events may wait to be sent together. Thousands may come in a second, and each message costs both
 * threads a task.
 */
const gathering = 50;

/**
 * The far side of `iterateRemote`: sends every event, in order, those of 50 ms in one message; the signal aborts when the
 * near side leaves.
 */
export async function answerIterable<T>(
  port: MessagePort,
  iterate: (signal: AbortSignal) => AsyncIterable<T>,
): Promise<void> {
  const send = (message: FromWorker<T>) => port.postMessage(message);
  let gathered: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const sendGathered = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length > 0) send({ type: 'events', values: gathered });
    gathered = [];
  };
  const signal = signalOf(port);
  try {
    for await (const value of iterate(signal)) {
      gathered.push(value);
      timer ??= setTimeout(sendGathered, gathering);
    }
    sendGathered();
    send({ type: 'end' });
  } catch (error) {
    sendGathered();
    send({ type: 'error', error: encodeError(error) });
  }
}

function signalOf(port: MessagePort): AbortSignal {
  const controller = new AbortController();
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => controller.abort(decodeError(data.reason));
  return controller.signal;
}

function linkAbort(signal: AbortSignal | undefined, port: MessagePort): () => void {
  if (!signal) return () => {};
  const send = () => port.postMessage(abortMessage(signal.reason));
  if (signal.aborted) send();
  else signal.addEventListener('abort', send);
  return () => signal.removeEventListener('abort', send);
}

function abortMessage(reason: unknown): ToWorker {
  return { type: 'abort', reason: encodeError(reason) };
}

/** What came back from a cancelled call is a copy of the reason: the caller gets its own. */
function ownReason(error: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted && isAbortOf(error, signal) ? (signal.reason as unknown) : error;
}

function isAbortOf(error: unknown, { reason }: AbortSignal): boolean {
  return (
    isAbort(error) || (error instanceof Error && reason instanceof Error && error.message === reason.message)
  );
}

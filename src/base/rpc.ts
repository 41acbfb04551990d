import { expose, transferHandlers, wrap } from 'comlink';
import type { Endpoint, Remote, TransferHandler } from 'comlink';
import { holdLifeline, onLifelineEnd } from './browser/lifeline.ts';
import { SelfIndexError } from './errors.ts';
import { decodeError, encodeError } from './rpc-errors.ts';
import type { WireError } from './rpc-errors.ts';

/**
 * Calls to a service in a worker, over comlink, with what comlink lacks: typed errors, cancellation and events (rpc-calls.ts),
 * and an end: calls that are pending when the worker dies are rejected. Both sides import this module, which registers
 * the codec.
 */

type Thrown = { readonly value: unknown };
const comlinkThrow = transferHandlers.get('throw') as TransferHandler<Thrown, unknown>;

transferHandlers.set('throw', {
  canHandle: (value): value is Thrown => comlinkThrow.canHandle(value),
  serialize: ({ value }: Thrown) => [encodeError(value), []],
  deserialize: (wire: WireError) => {
    throw decodeError(wire);
  },
});

transferHandlers.set('port', {
  canHandle: (value): value is MessagePort => value instanceof MessagePort,
  serialize: (port: MessagePort) => [port, [port]],
  deserialize: (port: MessagePort) => port,
});

const connectMessage = 'self-index/connect';
const lifelineMessage = 'self-index/lifeline';

/** In a worker, while its module is evaluated: answers every side that connects. No `await` may come before it. */
export function serve(service: object, scope: Pick<Worker, 'addEventListener'> = globalThis): void {
  // The first message on a port is the lifeline: whoever has had an answer can notice the end.
  const lifeline = holdLifeline().catch(() => null);
  scope.addEventListener('message', ({ data }: MessageEvent<{ type?: unknown; port?: unknown } | null>) => {
    const port = data?.type === connectMessage ? data.port : undefined;
    if (!(port instanceof MessagePort)) return;
    void lifeline.then((name) => {
      port.postMessage({ type: lifelineMessage, name });
      expose(service, port);
    });
  });
}

/** Answers on a port of this thread's own: for a service that must live in the page. It ends with the page. */
export function servePort(service: object, port: MessagePort): void {
  expose(service, port);
}

/** A port to the service of a worker, to be connected here or handed to another worker. */
export function openPort(worker: Worker): MessagePort {
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ type: connectMessage, port: port2 }, [port2]);
  return port1;
}

/** One side's hold on a service. */
export interface Connection<T> {
  readonly remote: Remote<T>;
  /** Settles (never rejects) when the other side is gone: then every pending and later call rejects with this error. */
  readonly failed: Promise<SelfIndexError>;
  /** Ends it: terminates the worker where `connect` was given one, else lets go of the port. Pending calls reject. */
  terminate(): void;
}

/**
 * Connects to a service. Every call that is pending when the worker fails to load, throws outside of any call, closes itself or
 * is terminated rejects with `worker-failed`. A worker that throws outside of any call is in no known state and is terminated.
 *
 * How the end is noticed: see browser/lifeline.ts; it needs Web Locks, and the worker must have started.
 */
export function connect<T extends object>(to: Worker | MessagePort): Connection<T> {
  const worker = to instanceof MessagePort ? undefined : to;
  const port = to instanceof MessagePort ? to : openPort(to);
  const end = new AbortController();
  const calls = new PendingCalls(port, (name) =>
    onLifelineEnd(name, () => fail('The worker is gone: it was closed or crashed. Reload it.'), end.signal),
  );
  let resolveFailed: (error: SelfIndexError) => void = () => {};
  const failed = new Promise<SelfIndexError>((resolve) => (resolveFailed = resolve));

  const fail = (message: string, cause?: unknown) => {
    if (end.signal.aborted) return;
    end.abort();
    const error = new SelfIndexError('worker-failed', message, { cause });
    worker?.terminate();
    port.close();
    calls.fail(error);
    resolveFailed(error);
  };

  const until = { signal: end.signal };
  port.addEventListener(
    'close',
    () => fail('The worker is gone: it was closed or crashed. Reload it.'),
    until,
  );
  port.addEventListener('messageerror', () => fail('A message of the worker could not be read.'), until);
  worker?.addEventListener(
    'error',
    (event) => {
      event.preventDefault();
      // Without a message the script itself could not be loaded.
      if (event.message) fail(`The worker failed: ${event.message}`, event.error);
      else fail('The worker could not be started: its script is missing or could not be loaded.');
    },
    until,
  );
  return {
    remote: wrap<T>(calls),
    failed,
    terminate: () => fail('The worker was terminated.'),
  };
}

/** The ids of comlink's requests that wait for an answer, so that they can be answered when nobody else will. */
class PendingCalls implements Endpoint {
  private readonly ids = new Set<string>();
  private readonly listeners = new Set<(event: MessageEvent) => void>();
  private failure: WireError | undefined;

  constructor(
    private readonly port: MessagePort,
    onLifeline: (name: string) => void,
  ) {
    port.addEventListener(
      'message',
      (event: MessageEvent<{ id?: string; type?: string; name?: string } | null>) => {
        const { id, type, name } = event.data ?? {};
        if (type === lifelineMessage && name) onLifeline(name);
        if (id) this.ids.delete(id);
        this.deliver(event);
      },
    );
    port.start();
  }

  postMessage(message: { id: string }, transfer: Transferable[] = []): void {
    if (this.failure) {
      const failure = this.failure;
      queueMicrotask(() => this.reject(message.id, failure));
      return;
    }
    this.port.postMessage(message, transfer);
    this.ids.add(message.id);
  }

  fail(error: SelfIndexError): void {
    const failure = encodeError(error);
    this.failure = failure;
    for (const id of this.ids) this.reject(id, failure);
    this.ids.clear();
  }

  addEventListener(_type: string, listener: EventListenerOrEventListenerObject): void {
    this.listeners.add(listener as (event: MessageEvent) => void);
  }

  removeEventListener(_type: string, listener: EventListenerOrEventListenerObject): void {
    this.listeners.delete(listener as (event: MessageEvent) => void);
  }

  private reject(id: string, failure: WireError): void {
    this.deliver(
      new MessageEvent('message', { data: { id, type: 'HANDLER', name: 'throw', value: failure } }),
    );
  }

  private deliver(event: MessageEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

import type { WorkerRequest, WorkerResponse } from '@mlc-ai/web-llm';
import { SelfIndexError } from '../../base/errors.ts';

/** What a worker of WebLLM is to its client; a `Worker` is one. */
export type WebLlmWorker = Pick<Worker, 'postMessage' | 'addEventListener' | 'terminate'>;

/** WebLLM rejects with the text of an error, its name first: `IntegrityError: Integrity verification …`. */
export class WebLlmFailure extends Error {}

interface Waiting {
  readonly resolve: (content: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls to a worker that runs `WebWorkerMLCEngineHandler`, in its own message protocol (version 0.2.86). WebLLM's client for it
 * comes with the whole of WebLLM, 2 MB gzipped, which only the worker needs.
 */
export class WebLlmClient {
  private readonly waiting = new Map<string, Waiting>();
  private calls = 0;
  private end: SelfIndexError | undefined;

  constructor(
    private readonly worker: WebLlmWorker,
    private readonly onProgress: (progress: number) => void = () => {},
  ) {
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerResponse>) => this.receive(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.fail(
        new SelfIndexError('worker-failed', `The worker of WebLLM failed: ${event.message || 'no script'}.`),
      );
    });
  }

  /**
   * Sends a request and waits for what it returns.
   *
   * @throws WebLlmFailure with the text that WebLLM gave; SelfIndexError `worker-failed` where the worker is gone
   */
  call(kind: WorkerRequest['kind'], content: WorkerRequest['content']): Promise<unknown> {
    if (this.end) return Promise.reject(this.end);
    return new Promise((resolve, reject) => {
      this.waiting.set(this.tell(kind, content), { resolve, reject });
    });
  }

  /** Sends a request that is not answered. */
  tell(kind: WorkerRequest['kind'], content: WorkerRequest['content']): string {
    const uuid = `${++this.calls}`;
    this.worker.postMessage({ kind, uuid, content } satisfies WorkerRequest);
    return uuid;
  }

  terminate(): void {
    this.worker.terminate();
    this.fail(new SelfIndexError('worker-failed', 'The worker of WebLLM was terminated.'));
  }

  private receive(message: WorkerResponse): void {
    if (message.kind === 'initProgressCallback') this.onProgress(message.content.progress);
    if (message.kind !== 'return' && message.kind !== 'throw') return;
    const waiting = this.waiting.get(message.uuid);
    this.waiting.delete(message.uuid);
    if (message.kind === 'return') waiting?.resolve(message.content);
    else waiting?.reject(new WebLlmFailure(textOf(message.content)));
  }

  private fail(error: SelfIndexError): void {
    this.end ??= error;
    for (const { reject } of this.waiting.values()) reject(this.end);
    this.waiting.clear();
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

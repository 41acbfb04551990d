/** Aborts its signal after a silence of so many milliseconds. */
export class StallTimer {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = performance.now();

  constructor(private readonly after: number) {
    this.watch(after);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  alive(): void {
    this.last = performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** One timer at a time, however many chunks come. */
  private watch(milliseconds: number): void {
    this.timer = setTimeout(() => {
      const left = this.last + this.after - performance.now();
      if (left > 0) this.watch(left);
      else this.controller.abort(new Error('the server fell silent'));
    }, milliseconds);
  }
}

/** @throws the signal's reason as soon as it aborts */
export function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

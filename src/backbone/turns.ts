/** Work done one after the other: for a runtime that has one session. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` when all before it is over. An abort rejects at once with the signal's reason, also while waiting; what is under
   * way then ends by itself before the next begins.
   */
  run<R>(signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
    const turn = this.last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.last = turn.catch(() => {});
    return signal ? untilAborted(turn, signal) : turn;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.last;
  }
}

function untilAborted<R>(work: Promise<R>, signal: AbortSignal): Promise<R> {
  return new Promise<R>((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A queue between a producer and one consumer that iterates it. Nothing is dropped; the producer never waits. */
export interface Channel<T> extends AsyncIterable<T> {
  push(item: T): void;
  /** No more items; with an error, iteration rejects after what was pushed. */
  close(error?: unknown): void;
}

/** @param onReturn called, and waited for, when the consumer leaves its loop early */
export function createChannel<T>(onReturn?: () => void | Promise<void>): Channel<T> {
  const items: T[] = [];
  let end: { error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };

  return {
    push(item) {
      if (end) return;
      items.push(item);
      notify();
    },
    close(error) {
      end ??= error === undefined ? {} : { error };
      notify();
    },
    async *[Symbol.asyncIterator]() {
      let finished = false;
      try {
        for (;;) {
          while (items.length > 0) yield items.shift() as T;
          if (end) break;
          await new Promise<void>((resolve) => (wake = resolve));
        }
        finished = true;
        if ('error' in end) throw end.error;
      } finally {
        if (!finished) await onReturn?.();
      }
    },
  };
}

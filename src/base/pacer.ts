/** Lets long synchronous work breathe: other messages of the same thread (a search, an abort) get their turn. */
export interface Pacer {
  /** Throws the signal's reason once aborted; hands the thread over when the present slice is used up. */
  pause(): Promise<void>;
}

/** Whoever waits, waits for one slice and for his own work: together they should fit into a frame of 16 ms. */
const sliceMilliseconds = 2;

export function createPacer(signal?: AbortSignal): Pacer {
  let sliceStart = performance.now();
  return {
    async pause() {
      signal?.throwIfAborted();
      if (performance.now() - sliceStart < sliceMilliseconds) return;
      await nextTask();
      signal?.throwIfAborted();
      sliceStart = performance.now();
    },
  };
}

/** A new task of the event loop; unlike `setTimeout` it is not clamped to 4 ms in a browser. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** `items.map(work)` in slices: other messages get their turn between two items. */
export async function mapPaced<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R | Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const pacer = createPacer(signal);
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    await pacer.pause();
    results.push(await work(item, index));
  }
  return results;
}

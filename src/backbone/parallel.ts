/** At most `limit` at once, results in order; the first failure aborts the others. */
export async function inParallel<I, O>(
  items: readonly I[],
  limit: number,
  signal: AbortSignal | undefined,
  work: (item: I, signal: AbortSignal) => Promise<O>,
): Promise<O[]> {
  signal?.throwIfAborted();
  const own = new AbortController();
  const stop = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', stop);
  const results: O[] = new Array<O>(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], own.signal);
    }
  };
  const lanes = Array.from({ length: Math.min(limit, items.length) }, lane);
  try {
    await Promise.all(lanes);
    return results;
  } catch (error) {
    next = items.length;
    own.abort(error);
    await Promise.allSettled(lanes);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * How one context learns that another has ended, however it ended: a Web Lock is released with its holder, and nothing else
 * is (2026: no shipped browser tells the other end of a MessagePort). Where there are no locks, nothing is noticed.
 */

/** Holds a lock of a new name for as long as this context lives. Resolves with the name once it is held; null without locks. */
export function holdLifeline(): Promise<string | null> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return Promise.resolve(null);
  const name = `self-index/lifeline/${crypto.randomUUID()}`;
  return new Promise((resolve, reject) => {
    locks
      .request(name, () => {
        resolve(name);
        return new Promise<never>(() => {});
      })
      .catch(reject);
  });
}

/** Calls back when the holder of the lifeline has ended, unless the signal aborts before. */
export function onLifelineEnd(name: string, callback: () => void, signal: AbortSignal): void {
  // Shared among those who wait, so that all are told at once.
  navigator.locks.request(name, { mode: 'shared', signal }, callback).catch(() => {
    // Only the abort of the signal comes here.
  });
}

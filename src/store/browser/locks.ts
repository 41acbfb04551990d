import { SelfIndexError, messageOf } from '../../base/errors.ts';
import { qualifiedName } from '../names.ts';

/** The right to evolve an index, held by one tab or worker of this origin at a time. */
export interface Writer {
  /** Gives the right back; resolves when another may have it. Again: nothing happens. */
  release(): Promise<void>;
}

/**
 * Takes the right to evolve an index, without waiting for it. It ends with `release`, or with the tab or worker that holds it.
 * @throws SelfIndexError `evolution-locked` where another holds it; `locks-unavailable` where the browser has no Web Locks
 *   here: then the index can be searched, and nobody may evolve it.
 */
export async function acquireWriter(name: string): Promise<Writer> {
  const lockName = `${qualifiedName(name)}/writer`;
  if (!hasLocks()) throw unavailable();
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(lockName, { mode: 'exclusive', ifAvailable: true }, (lock) => {
      if (!lock) {
        reject(locked(name));
        return undefined;
      }
      return new Promise<void>((free) => {
        resolve({
          release: () => {
            free();
            return held.then(() => undefined);
          },
        });
      });
    });
    held.catch((error: unknown) => reject(unavailable(error)));
  });
}

function hasLocks(): boolean {
  return typeof navigator !== 'undefined' && 'locks' in navigator && navigator.locks !== undefined;
}

function locked(name: string): SelfIndexError {
  return new SelfIndexError(
    'evolution-locked',
    `The index ${JSON.stringify(name)} is being evolved in another tab or worker. Wait until it has finished, or stop it there.`,
  );
}

function unavailable(cause?: unknown): SelfIndexError {
  const why = cause === undefined ? 'it has no Web Locks here' : messageOf(cause);
  return new SelfIndexError(
    'locks-unavailable',
    `This browser cannot make sure that only one tab evolves the index (${why}). The index can be searched; to evolve it, open the page over https or from localhost in a current browser.`,
    { cause },
  );
}

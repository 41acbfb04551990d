import { SelfIndexError, messageOf } from '../base/errors.ts';
import { estimateStorage } from './browser/persistence.ts';

/** Failures after which the connection is of no use but a new one may be: worth one more try. */
export function isLostConnection(error: unknown): boolean {
  return (
    nameOf(error) === 'InvalidStateError' ||
    nameOf(error) === 'AbortError' ||
    nameOf(error) === 'UnknownError'
  );
}

/** The typed error for what IndexedDB threw. */
export async function storageError(name: string, error: unknown): Promise<SelfIndexError> {
  if (error instanceof SelfIndexError) return error;
  const index = `index ${JSON.stringify(name)}`;
  switch (nameOf(error)) {
    case 'QuotaExceededError': {
      const room = await estimateStorage();
      const of = room ? ` (${megabytes(room.used)} MB used, ${megabytes(room.available)} MB left)` : '';
      return new SelfIndexError(
        'storage-quota',
        `The browser gives this site no more room${of}, so the change to ${index} was not stored; the index stands as it was before it. Free room on the disk, delete an index that you do not need, or export this one, and try again.`,
        { details: room ? { ...room } : {}, cause: error },
      );
    }
    case 'VersionError':
      return new SelfIndexError(
        'storage-newer',
        `A newer release of Self-Index has stored ${index}. Reload the page to get that release; nothing was changed.`,
        { cause: error },
      );
    default:
      return new SelfIndexError(
        'storage-failed',
        `The browser's storage failed for ${index}: ${messageOf(error)}. Nothing was changed. Reload the page and try again.`,
        { cause: error },
      );
  }
}

/** Other tabs hold the database open and do not give way. */
export function blockedError(name: string, what: 'opened' | 'deleted'): SelfIndexError {
  return new SelfIndexError(
    'storage-blocked',
    `The index ${JSON.stringify(name)} cannot be ${what} while other tabs hold it open. Close the other tabs of this site and try again.`,
  );
}

export function deletedError(name: string): SelfIndexError {
  return new SelfIndexError(
    'storage-closed',
    `The index ${JSON.stringify(name)} was deleted in another tab. Open it again to begin anew.`,
  );
}

/** The database was there and is no more: nothing is to be made in its place as if nothing had happened. */
export function lostError(name: string): SelfIndexError {
  return new SelfIndexError(
    'storage-failed',
    `The browser has deleted the data of the index ${JSON.stringify(name)} (site data were cleared, or it needed the room). Open the index again to begin anew, and import your last export.`,
    { details: { lost: true } },
  );
}

function nameOf(error: unknown): string {
  return error instanceof DOMException || error instanceof Error ? error.name : '';
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

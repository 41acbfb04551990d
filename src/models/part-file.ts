import { SelfIndexError, messageOf } from '../base/errors.ts';

/** Where the bytes of one file gather until they are whole: on a disk, in the browser's own files, or in memory. */
export interface PartFile {
  /** Bytes that are here; 0 where there is nothing. */
  size(): Promise<number>;
  /** What `setNote` left, also in an earlier life of the program. */
  note(): Promise<string | undefined>;
  setNote(note: string | undefined): Promise<void>;
  /** Cuts the part to its first `start` bytes and goes on writing from there. One writer at a time. */
  write(start: number): Promise<PartWriter>;
  read(): AsyncIterable<Uint8Array>;
  /** The part is whole and right: it becomes the file. */
  keep(): Promise<void>;
  /** Nothing is left, of the note neither. */
  discard(): Promise<void>;
}

export interface PartWriter {
  /** Whatever was written is there, even if the program ends before `close`. */
  write(chunk: Uint8Array): void | Promise<void>;
  close(): void | Promise<void>;
}

/** Work on a storage; what it throws says whether there was no room, or something else. */
export async function inStorage<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SelfIndexError) throw error;
    throw storageError(what, error);
  }
}

/** Whether there was no room, or something else. */
export function storageError(what: string, cause: unknown): SelfIndexError {
  const { name, code } = cause as { name?: unknown; code?: unknown };
  return name === 'QuotaExceededError' || code === 'ENOSPC' || code === 'EDQUOT'
    ? new SelfIndexError(
        'storage-quota',
        `There is no room left for ${what}. Delete a model that you do not use, or free space on the disk.`,
        { cause },
      )
    : new SelfIndexError('storage-failed', `${what} could not be kept: ${messageOf(cause)}.`, { cause });
}

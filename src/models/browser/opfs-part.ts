import type { Downloaded } from '../download.ts';
import { inStorage, type PartFile, type PartWriter } from '../part-file.ts';
import { encoded, fileIn, jsonIn, removeFrom } from './files.ts';

/** Of workers alone, so TypeScript's library for pages leaves it out. */
interface SyncHandle {
  truncate(size: number): void;
  write(bytes: Uint8Array, options: { at: number }): number;
  getSize(): number;
  close(): void;
}
interface Writable {
  createSyncAccessHandle(): Promise<SyncHandle>;
}

/** What stands beside a file: how far it has come, or what it was when it was whole. */
interface Note {
  readonly part?: string;
  readonly done?: Downloaded;
}

/**
 * A part in the origin private file system. Bytes go into the file at once, in place, so that they outlive a killed tab; a file is
 * whole only if its note says so. In workers alone.
 */
export class OpfsPart implements PartFile {
  private readonly name: string;

  private constructor(
    private readonly path: string,
    private readonly files: FileSystemDirectoryHandle,
    private readonly notes: FileSystemDirectoryHandle,
  ) {
    this.name = encoded(path);
  }

  /** @param folder of one model's files */
  static async in(folder: FileSystemDirectoryHandle, path: string): Promise<OpfsPart> {
    return inStorage(path, async () => {
      const files = await folder.getDirectoryHandle('files', { create: true });
      return new OpfsPart(path, files, await folder.getDirectoryHandle('notes', { create: true }));
    });
  }

  /** What the file was when it was found whole and right; undefined before. */
  async done(): Promise<Downloaded | undefined> {
    const { done } = await this.readNote();
    return done && (await this.size()) === done.size ? done : undefined;
  }

  setDone(done: Downloaded): Promise<void> {
    return this.writeNote({ done });
  }

  async size(): Promise<number> {
    return (await fileIn(this.files, this.name))?.size ?? 0;
  }

  async note(): Promise<string | undefined> {
    return (await this.readNote()).part;
  }

  setNote(part: string | undefined): Promise<void> {
    return this.writeNote({ part });
  }

  async write(start: number): Promise<PartWriter> {
    const handle = await openSync(this.files, this.name);
    handle.truncate(start);
    let at = start;
    return {
      write: (chunk) => {
        // A full storage may take a part of it, or nothing, without complaint (Chromium 156).
        if (handle.write(chunk, { at }) < chunk.length || handle.getSize() < at + chunk.length)
          throw new DOMException(`${this.path} was not written whole.`, 'QuotaExceededError');
        at += chunk.length;
      },
      // Not forced to the disk: a killed tab loses nothing, and what a power cut loses shows when it is read.
      close: () => handle.close(),
    };
  }

  async *read(): AsyncIterable<Uint8Array> {
    const reader = (await fileIn(this.files, this.name))?.stream().getReader();
    while (reader) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  }

  /** Whoever downloads notes with `setDone` what it was. */
  async keep(): Promise<void> {}

  async discard(): Promise<void> {
    await removeFrom(this.notes, this.name);
    await removeFrom(this.files, this.name);
  }

  private async readNote(): Promise<Note> {
    return (await jsonIn(this.notes, this.name)) ?? {};
  }

  private writeNote(note: Note): Promise<void> {
    return writeJson(this.notes, this.name, note);
  }
}

/** In place, in one write. In workers alone. @throws SelfIndexError `storage-quota`, `storage-failed` */
export async function writeJson(
  folder: FileSystemDirectoryHandle,
  name: string,
  value: unknown,
): Promise<void> {
  await inStorage(name, async () => {
    const handle = await openSync(folder, name);
    try {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      handle.truncate(0);
      if (handle.write(bytes, { at: 0 }) < bytes.length || handle.getSize() < bytes.length)
        throw new DOMException(`${name} was not written whole.`, 'QuotaExceededError');
    } finally {
      handle.close();
    }
  });
}

async function openSync(folder: FileSystemDirectoryHandle, name: string): Promise<SyncHandle> {
  const file: unknown = await folder.getFileHandle(name, { create: true });
  return (file as Writable).createSyncAccessHandle();
}

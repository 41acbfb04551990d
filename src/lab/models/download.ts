import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { downloadFile as download } from '../../models/download.ts';
import type { Downloaded, DownloadOptions, Expected } from '../../models/download.ts';
import type { PartFile, PartWriter } from '../../models/part-file.ts';
import { declaredBy } from './declared.ts';

export type { Downloaded, DownloadOptions };

/**
 * Downloads one file to `target` as src/models/download.ts does. It appears whole or not at all: bytes are gathered in
 * `target.part`, which a later call takes up again.
 */
export async function downloadFile(
  url: string,
  target: string,
  expected: Expected = {},
  options: DownloadOptions = {},
): Promise<Downloaded> {
  await mkdir(dirname(target), { recursive: true });
  return download(url, target, new DiskPart(target), expected, { ask: declaredBy, ...options });
}

/** A part on the disk, its note beside it. */
class DiskPart implements PartFile {
  private readonly part: string;
  private readonly notes: string;

  constructor(private readonly target: string) {
    this.part = `${target}.part`;
    this.notes = `${target}.part.json`;
  }

  size(): Promise<number> {
    return stat(this.part).then(
      ({ size }) => size,
      () => 0,
    );
  }

  note(): Promise<string | undefined> {
    return readFile(this.notes, 'utf8').catch(() => undefined);
  }

  async setNote(note: string | undefined): Promise<void> {
    if (note === undefined) await rm(this.notes, { force: true });
    else await writeFile(this.notes, note);
  }

  async write(start: number): Promise<PartWriter> {
    // Chunk by chunk to the disk: a stream between would lose what it holds when the line breaks.
    const file = await open(this.part, start === 0 ? 'w' : 'a');
    await file.truncate(start);
    return { write: (chunk) => file.writeFile(chunk), close: () => file.close() };
  }

  read(): AsyncIterable<Uint8Array> {
    return createReadStream(this.part) as AsyncIterable<Buffer>;
  }

  async keep(): Promise<void> {
    const handle = await open(this.part, 'r+');
    await handle.sync();
    await handle.close();
    await rename(this.part, this.target);
    await rm(this.notes, { force: true });
  }

  async discard(): Promise<void> {
    await Promise.all([this.part, this.notes].map((path) => rm(path, { force: true })));
  }
}

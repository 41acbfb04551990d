import { SelfIndexError, messageOf } from '../../base/errors.ts';
import { createPacer } from '../../base/pacer.ts';
import { readFile } from '../../corpus/read/read-file.ts';
import type { Document } from '../../corpus/types.ts';
import type { GivenFile } from './gather.ts';
import { maxBytes, refuseLarge } from './limits.ts';

export interface ReadFiles {
  /** Files that gave documents. */
  readonly files: number;
  readonly documents: readonly Document[];
  /** Why files gave none: sentences that name them. */
  readonly skipped: readonly string[];
  /** What is odd about files that were read all the same. */
  readonly warnings: readonly string[];
}

/** Reads files one after the other, so that memory holds one source at a time and the page stays awake. */
export async function readFiles(
  given: readonly GivenFile[],
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<ReadFiles> {
  const documents: Document[] = [];
  const skipped: string[] = [];
  const warnings: string[] = [];
  const pacer = createPacer(signal);
  let files = 0;
  for (const [i, { path, file }] of given.entries()) {
    onProgress(i, given.length);
    try {
      refuseLarge(path, file);
      const content = new Uint8Array(await file.arrayBuffer());
      const read = await readFile(path, content, { maxBytes, modified: file.lastModified });
      const remarks = read.warnings.map(({ message }) => message);
      if (read.documents.length > 0) files++;
      (read.documents.length > 0 ? warnings : skipped).push(...remarks);
      for (const document of read.documents) documents.push(document);
    } catch (error) {
      skipped.push(
        error instanceof SelfIndexError
          ? error.message
          : `“${path}” could not be opened: ${messageOf(error)}`,
      );
    }
    await pacer.pause();
  }
  onProgress(given.length, given.length);
  return { files, documents, skipped, warnings };
}

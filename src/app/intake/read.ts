import { messageOf } from '../../base/errors.ts';
import { createPacer } from '../../base/pacer.ts';
import { passagesOf } from '../../corpus/passages.ts';
import { readMarkdown } from '../../corpus/read/markdown.ts';
import { readPlainText } from '../../corpus/read/plain-text.ts';
import type { Document } from '../../corpus/types.ts';
import type { GivenFile } from './gather.ts';

export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

export interface ReadFiles {
  /** Files that gave documents. */
  readonly files: number;
  readonly documents: readonly Document[];
  readonly skipped: readonly Skipped[];
}

/** Reads files one after the other, so that memory holds one source at a time and the page stays awake. */
export async function readFiles(
  given: readonly GivenFile[],
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<ReadFiles> {
  const documents: Document[] = [];
  const skipped: Skipped[] = [];
  const pacer = createPacer(signal);
  let files = 0;
  for (const [i, { path, file }] of given.entries()) {
    onProgress(i, given.length);
    try {
      const passages = passagesOf(path, outlineOf(path, await file.text()), { modified: file.lastModified });
      if (passages.length > 0) files++;
      else skipped.push({ path, reason: 'It has no text.' });
      documents.push(...passages);
    } catch (error) {
      skipped.push({ path, reason: messageOf(error) });
    }
    await pacer.pause();
  }
  onProgress(given.length, given.length);
  return { files, documents, skipped };
}

function outlineOf(path: string, text: string) {
  if (/\.(md|markdown)$/i.test(path)) return readMarkdown(text);
  if (/\.txt$/i.test(path)) return readPlainText(text);
  throw new Error('This format is not read.');
}

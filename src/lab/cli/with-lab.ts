import { labPaths } from '../types.ts';
import { findCollection, type CollectionFolder } from './collection-folder.ts';
import { LabBrowser } from './lab-browser.ts';
import { serveLab } from './lab-server.ts';
import { ProgressLine } from './progress.ts';

export interface LabOptions {
  /** A BEIR folder. */
  readonly collection: string;
  readonly verbose: boolean;
  readonly signal: AbortSignal;
  /** Lines of the TREC run, as they come. */
  readonly onRunPart?: (lines: string) => void;
}

/** Serves a collection, opens the browser for `work` and cleans up after it. Cancelled, it rejects with an AbortError. */
export async function withLab<T>(
  { collection: folder, verbose, signal, onRunPart }: LabOptions,
  work: (browser: LabBrowser, collection: CollectionFolder) => Promise<T>,
): Promise<T> {
  const collection = findCollection(folder);
  const progress = new ProgressLine();
  const server = await serveLab(collection, {
    onRunPart: (lines) => onRunPart?.(lines),
    onEmbedded: (texts) => progress.show({ step: 'embedding', done: texts }),
  });
  try {
    const browser = await LabBrowser.open({
      url: server.url + labPaths.page,
      onProgress: (step) => progress.show(step),
      onLog: verbose ? (line) => console.error(line) : undefined,
      signal,
    });
    try {
      return await work(browser, collection);
    } finally {
      await browser.close();
    }
  } finally {
    progress.end();
    await server.close();
  }
}

import type { JudgesReport } from '../judges/report.ts';
import { labPaths } from '../types.ts';
import { findCollection } from './collection-folder.ts';
import { LabBrowser } from './lab-browser.ts';
import { serveLab } from './lab-server.ts';
import type { JudgesCommand } from './options.ts';
import { ProgressLine } from './progress.ts';

/** Serves the collection, opens the browser, measures the judges, cleans up. Cancelled, it rejects with an AbortError. */
export async function runJudges(command: JudgesCommand, signal: AbortSignal): Promise<JudgesReport> {
  const { request } = command;
  const collection = findCollection(command.collection);
  const progress = new ProgressLine();
  const server = await serveLab(collection, {
    onRunPart: () => {},
    onEmbedded: (texts) => progress.show({ step: 'embedding', done: texts }),
  });
  try {
    const browser = await LabBrowser.open({
      url: server.url + labPaths.page,
      onProgress: (step) => progress.show(step),
      onLog: command.verbose ? (line) => console.error(line) : undefined,
      signal,
    });
    try {
      return {
        collection: collection.name,
        pairs: request.pairs,
        seed: request.seed,
        embedder: request.embedder?.model ?? null,
        model: request.model ?? null,
        judges: await browser.judge(request),
      };
    } finally {
      await browser.close();
    }
  } finally {
    progress.end();
    await server.close();
  }
}

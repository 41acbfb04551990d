import type { JudgesReport } from '../judges/report.ts';
import type { JudgesCommand } from './options.ts';
import { withLab } from './with-lab.ts';

/** Measures the judges on a collection. Cancelled, it rejects with an AbortError. */
export function runJudges(command: JudgesCommand, signal: AbortSignal): Promise<JudgesReport> {
  const { request, verbose } = command;
  return withLab({ collection: command.collection, verbose, signal }, async (browser, collection) => ({
    collection: collection.name,
    pairs: request.pairs,
    seed: request.seed,
    embedder: request.embedder?.model ?? null,
    model: request.model ?? null,
    judges: await browser.judge(request),
  }));
}

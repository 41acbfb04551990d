import { SelfIndexError } from '../../base/errors.ts';
import { runExperiment } from '../experiment.ts';
import type { ExperimentReport } from '../report.ts';
import { trecRunLines, type ScoredDocument } from '../trec-run.ts';
import { labPaths, type LabProgress, type LabRequest } from '../types.ts';
import { fetchCollection } from './fetch-collection.ts';
import { openLabIndex } from './open-index.ts';

/** Names the system in a TREC run. */
const runTag = 'self-index';

/** Fetches the collection, opens an index in its workers, experiments. */
export async function runRequest(
  request: LabRequest,
  onProgress: (progress: LabProgress) => void,
): Promise<ExperimentReport> {
  const { spec, evolve, withRun, limit, limitQueries } = request;
  const collection = await fetchCollection();
  const queries = evolve?.queries?.map(({ id, text }) => ({ id, text, kind: 'external' as const }));
  const index = await openLabIndex(spec);
  try {
    return await runExperiment(index, collection, {
      limit,
      limitQueries,
      ...(evolve ? { evolve: { ...evolve, queries } } : {}),
      onProgress,
      ...(withRun ? { onRanking: sendRanking } : {}),
    });
  } finally {
    await index.close();
  }
}

async function sendRanking(queryId: string, hits: readonly ScoredDocument[]): Promise<void> {
  const body = trecRunLines(queryId, hits, runTag);
  const { ok, status } = await fetch(labPaths.run, { method: 'POST', body });
  if (!ok)
    throw new SelfIndexError('storage-failed', `The run file could not be written (status ${status}).`);
}

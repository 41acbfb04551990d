import { SelfIndexError } from '../../base/errors.ts';
import type { EvolveEvent } from '../../evolve/types.ts';
import type { EvolutionQuery } from '../../keys/types.ts';
import { readCollection, type Collection } from '../collection.ts';
import {
  addDocuments,
  evaluationSet,
  evolveVersions,
  keysOf,
  measureVersion,
  refuseLeaks,
} from '../experiment.ts';
import type { RunMeasures } from '../measures.ts';
import { versionReport, type VersionReport } from '../report.ts';
import { trecRunLines } from '../trec-run.ts';
import type { LabProgress, LabRequest } from '../types.ts';
import { openLabIndex } from './open-index.ts';

/** Names the system in a TREC run. */
const runTag = 'self-index';

export type Tell = (progress: LabProgress) => void;

/** Index, evolve, measure: one whole experiment. */
export async function runRequest(request: LabRequest, tell: Tell): Promise<VersionReport[]> {
  const collection = await fetchCollection(request.files);
  const learnedFrom = request.evolve?.queries;
  if (learnedFrom) refuseLeaks(learnedFrom, collection);

  const index = await openLabIndex(request.spec, request.vectorsUrl);
  try {
    const total = collection.documents.length;
    const indexing = (done: number) => tell({ step: 'indexing', done, total });
    indexing(0);
    await addDocuments(index, collection.documents, indexing);
    const evolved = request.evolve
      ? await evolveVersions(
          index,
          { ...request.evolve, queries: learnedFrom?.map(externalQuery) },
          (event) => tellEvent(event, tell),
        )
      : [{ version: 0, seconds: 0 }];

    const evaluation = evaluationSet(collection, request.limitQueries);
    const reports: VersionReport[] = [];
    let base: RunMeasures | undefined;
    for (const version of evolved) {
      const isLast = version === evolved.at(-1);
      const measured = await measureVersion(index, evaluation, {
        version: version.version,
        limit: request.limit,
        onProgress: (done) =>
          tell({ step: `measuring version ${version.version}`, done, total: evaluation.queries.length }),
        onRanking: isLast && request.runUrl ? runSender(request.runUrl) : undefined,
      });
      base ??= measured;
      const keys = version.version === 0 ? [] : await keysOf(index, collection.documents, version.version);
      reports.push(versionReport(version, keys, measured, base));
    }
    return reports;
  } finally {
    await index.close();
  }
}

function externalQuery({ id, text }: { id: string; text: string }): EvolutionQuery {
  return { id, text, kind: 'external' };
}

async function fetchCollection(files: LabRequest['files']): Promise<Collection> {
  const fetchBytes = async (url: string) => {
    const response = await fetch(url);
    if (!response.ok)
      throw new SelfIndexError('unreadable-file', `The server has no ${url} (status ${response.status}).`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const [corpus, queries, qrels] = await Promise.all(
    [files.corpus, files.queries, files.qrels].map(fetchBytes),
  );
  return readCollection({ corpus, queries, qrels });
}

function runSender(url: string) {
  return async (queryId: string, hits: Parameters<typeof trecRunLines>[1]) => {
    await fetch(url, { method: 'POST', body: trecRunLines(queryId, hits, runTag) });
  };
}

function tellEvent(event: EvolveEvent, tell: Tell): void {
  if (event.type !== 'progress') return;
  const { iteration, stage, done, total, secondsLeft, usage } = event;
  tell({
    step: `iteration ${iteration + 1}, ${stage}`,
    done,
    total,
    secondsLeft,
    calls: usage.calls,
    tokens: usage.inputTokens + usage.outputTokens,
  });
}

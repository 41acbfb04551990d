import { SelfIndexError } from '../base/errors.ts';
import type { EvolveEvent, EvolveOptions, SelfIndex } from '../evolve/types.ts';
import type { IndexKey } from '../keys/types.ts';
import type { DocumentHit } from '../retrieve/types.ts';
import type { Collection, CollectionQuery } from './collection.ts';
import { judgedQueries, measureRun, type Qrels, type RunMeasures } from './measures.ts';
import { versionReport, type EvolvedVersion, type ExperimentReport, type VersionReport } from './report.ts';
import { analyseFalls, analysedDepth } from './failures/analyse.ts';
import { failureReport, type FailureReport } from './failures/stories.ts';
import { compareBy } from './statistics/compare.ts';
import type { LabProgress } from './types.ts';

/** What an experiment needs of an index. */
export type LabIndex = Pick<SelfIndex, 'add' | 'evolve' | 'rankings' | 'keys' | 'history' | 'settings'>;

export interface Experiment {
  /** Absent: only version 0 is measured. */
  readonly evolve?: EvolveOptions;
  /** Evaluation queries to measure, from the first. Default: all that have a relevant document. */
  readonly limitQueries?: number;
  /** Documents per ranking; at least 100, for R@100. */
  readonly limit: number;
  readonly onProgress?: (progress: LabProgress) => void;
  /** Called for every evaluation query ranked in the last version. */
  readonly onRanking?: (queryId: string, hits: readonly DocumentHit[]) => Promise<void> | void;
}

/**
 * Indexes a collection, evolves it, measures every version. The two halves share nothing but the index: `evolveVersions`
 * changes it and never receives the evaluation queries; `measureVersion` ranks them in a finished version and writes nothing.
 */
export async function runExperiment(
  index: LabIndex,
  collection: Collection,
  { evolve, limitQueries, limit, onProgress, onRanking }: Experiment,
): Promise<ExperimentReport> {
  refuseLeaks(evolve?.queries ?? [], collection);
  const { documents } = collection;
  await addDocuments(index, documents, (done) =>
    onProgress?.({ step: 'indexing', done, total: documents.length }),
  );
  const { versions, roles }: Evolution = evolve
    ? await evolveVersions(index, evolve, (event) => tellEvent(event, onProgress))
    : { versions: [unevolved] };

  const evaluation = evaluationSet(collection, limitQueries);
  const reports: VersionReport[] = [];
  let base: RunMeasures | undefined;
  let last: RunMeasures | undefined;
  const tops = { first: new Map<string, Tops>(), last: new Map<string, Tops>() };
  for (const evolved of versions) {
    const { version } = evolved;
    const measured = await measureVersion(index, evaluation, {
      version,
      limit,
      onProgress: (done) =>
        onProgress?.({ step: `measuring version ${version}`, done, total: evaluation.queries.length }),
      onRanking: async (queryId, hits) => {
        const isLast = evolved === versions.at(-1);
        if (version === 0) tops.first.set(queryId, hits.slice(0, analysedDepth));
        if (isLast) tops.last.set(queryId, hits.slice(0, analysedDepth));
        if (isLast) await onRanking?.(queryId, hits);
      },
    });
    base ??= measured;
    last = measured;
    const keys = version === 0 ? [] : await keysOf(index, documents, version);
    reports.push(versionReport(evolved, keys, measured, base));
  }
  return {
    versions: reports,
    ...(evolve && base && last
      ? {
          comparison: compareBy('nDCG@10', base, last),
          failures: await failuresOf(index, evaluation, tops),
        }
      : {}),
    ...(roles ? { roles } : {}),
  };
}

type Tops = readonly DocumentHit[];

/** What the last version made worse, told with the keys that did it. */
async function failuresOf(
  index: Pick<SelfIndex, 'keys' | 'history' | 'settings'>,
  { queries, qrels }: EvaluationSet,
  tops: { readonly first: ReadonlyMap<string, Tops>; readonly last: ReadonlyMap<string, Tops> },
): Promise<FailureReport> {
  const { aggregate } = await index.settings();
  const judged = queries.map(({ id, text }) => ({
    id,
    text,
    judgements: qrels.get(id) ?? new Map<string, number>(),
    before: tops.first.get(id) ?? [],
    after: tops.last.get(id) ?? [],
  }));
  return failureReport(analyseFalls(judged, aggregate), index);
}

function tellEvent(event: EvolveEvent, tell: Experiment['onProgress']): void {
  if (event.type !== 'progress') return;
  const { iteration, stage, done, total, secondsLeft, usage } = event;
  tell?.({
    step: `iteration ${iteration + 1}, ${stage}`,
    done,
    total,
    secondsLeft,
    calls: usage.calls,
    tokens: usage.inputTokens + usage.outputTokens,
  });
}

/** Documents handed to the index at once: small enough to show progress, large enough to cost nothing. */
const addedAtOnce = 1000;

async function addDocuments(
  index: Pick<SelfIndex, 'add'>,
  documents: Collection['documents'],
  onProgress?: (done: number) => void,
): Promise<void> {
  onProgress?.(0);
  for (let start = 0; start < documents.length; start += addedAtOnce) {
    await index.add(documents.slice(start, start + addedAtOnce));
    onProgress?.(Math.min(start + addedAtOnce, documents.length));
  }
}

interface Evolution {
  readonly versions: readonly EvolvedVersion[];
  readonly roles?: ExperimentReport['roles'];
}

const unevolved: EvolvedVersion = { version: 0, seconds: 0 };

/** Runs the evolution to its end; one entry per version that it made, version 0 first. */
export async function evolveVersions(
  index: Pick<SelfIndex, 'evolve'>,
  options: EvolveOptions,
  onEvent: (event: EvolveEvent) => void = () => {},
): Promise<Evolution> {
  const versions = [unevolved];
  let roles: Evolution['roles'];
  let since = performance.now();
  for await (const event of index.evolve(options)) {
    onEvent(event);
    if (event.type === 'started') roles = event.roles;
    if (event.type !== 'iteration') continue;
    const now = performance.now();
    versions.push({ version: event.version, seconds: (now - since) / 1000, summary: event.summary });
    since = now;
  }
  return { versions, ...(roles ? { roles } : {}) };
}

export interface EvaluationSet {
  /** The queries with a relevant document. */
  readonly queries: readonly CollectionQuery[];
  readonly qrels: Qrels;
}

/** The part of a collection that measures: its judged queries, or the first `limit` of them. */
export function evaluationSet({ queries, qrels }: Collection, limit = Infinity): EvaluationSet {
  const judged = new Set(judgedQueries(qrels));
  const kept = queries.filter(({ id }) => judged.has(id)).slice(0, limit);
  return {
    queries: kept,
    qrels: new Map(kept.map(({ id }) => [id, qrels.get(id) ?? new Map<string, number>()])),
  };
}

/** Queries ranked between two signs of progress. */
const rankedAtOnce = 64;

interface MeasureOptions {
  readonly version: number;
  /** Documents per ranking. */
  readonly limit: number;
  readonly onProgress?: (done: number) => void;
  readonly onRanking?: (queryId: string, hits: readonly DocumentHit[]) => Promise<void> | void;
}

/** Ranks the evaluation queries in one version and measures the rankings. */
export async function measureVersion(
  index: Pick<SelfIndex, 'rankings'>,
  { queries, qrels }: EvaluationSet,
  { version, limit, onProgress, onRanking }: MeasureOptions,
): Promise<RunMeasures> {
  const run = new Map<string, string[]>();
  for (let start = 0; start < queries.length; start += rankedAtOnce) {
    const part = queries.slice(start, start + rankedAtOnce);
    const rankings = await index.rankings(
      part.map(({ text }) => text),
      { limit, version },
    );
    for (const [i, hits] of rankings.entries()) {
      run.set(
        part[i].id,
        hits.map(({ documentId }) => documentId),
      );
      await onRanking?.(part[i].id, hits);
    }
    onProgress?.(Math.min(start + rankedAtOnce, queries.length));
  }
  return measureRun(run, qrels);
}

/** Every key of a version. */
async function keysOf(
  index: Pick<SelfIndex, 'keys'>,
  documents: Collection['documents'],
  version: number,
): Promise<IndexKey[]> {
  const keys: IndexKey[] = [];
  for (const { id } of documents) keys.push(...(await index.keys(id, version)));
  return keys;
}

/** Refuses queries for the evolution that are evaluation queries too: what is measured must not be learned from. */
function refuseLeaks(supplied: readonly CollectionQuery[], { queries }: Collection): void {
  const normal = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
  const evaluation = new Set(queries.map(({ text }) => normal(text)));
  const leak = supplied.find(({ text }) => evaluation.has(normal(text)));
  if (leak)
    throw new SelfIndexError(
      'invalid-argument',
      `The queries given to the evolution include ${JSON.stringify(leak.text)}, which is an evaluation query: leave it out, or the figures mean nothing.`,
      { details: { id: leak.id } },
    );
}

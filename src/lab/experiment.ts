import { SelfIndexError } from '../base/errors.ts';
import type { EvolveEvent, EvolveOptions, SelfIndex } from '../evolve/types.ts';
import type { IndexKey } from '../keys/types.ts';
import type { DocumentHit } from '../retrieve/types.ts';
import type { Collection, CollectionQuery } from './collection.ts';
import { judgedQueries, measureRun, type Qrels, type RunMeasures } from './measures.ts';
import type { EvolvedVersion } from './report.ts';

/**
 * An experiment has two halves that share nothing but the index. `evolveVersions` changes it and never receives the
 * evaluation queries; `measureVersion` ranks them in a finished version and writes nothing.
 */

/** Documents handed to the index at once: small enough to show progress, large enough to cost nothing. */
const addedAtOnce = 1000;

export async function addDocuments(
  index: Pick<SelfIndex, 'add'>,
  documents: Collection['documents'],
  onProgress?: (done: number) => void,
): Promise<void> {
  for (let start = 0; start < documents.length; start += addedAtOnce) {
    await index.add(documents.slice(start, start + addedAtOnce));
    onProgress?.(Math.min(start + addedAtOnce, documents.length));
  }
}

/** Runs the evolution to its end; one entry per version that it made, version 0 first. */
export async function evolveVersions(
  index: Pick<SelfIndex, 'evolve'>,
  options: EvolveOptions,
  onEvent: (event: EvolveEvent) => void = () => {},
): Promise<EvolvedVersion[]> {
  const versions: EvolvedVersion[] = [{ version: 0, seconds: 0 }];
  let since = performance.now();
  for await (const event of index.evolve(options)) {
    onEvent(event);
    if (event.type !== 'iteration') continue;
    const now = performance.now();
    versions.push({ version: event.version, seconds: (now - since) / 1000, summary: event.summary });
    since = now;
  }
  return versions;
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

export interface MeasureOptions {
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
export async function keysOf(
  index: Pick<SelfIndex, 'keys'>,
  documents: Collection['documents'],
  version: number,
): Promise<IndexKey[]> {
  const keys: IndexKey[] = [];
  for (const { id } of documents) keys.push(...(await index.keys(id, version)));
  return keys;
}

/** Refuses queries for the evolution that are evaluation queries too: what is measured must not be learned from. */
export function refuseLeaks(supplied: readonly CollectionQuery[], { queries }: Collection): void {
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

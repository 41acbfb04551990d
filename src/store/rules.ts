import { compareIds } from '../base/order.ts';
import type { Document } from '../corpus/types.ts';
import { originalText } from '../keys/key-id.ts';
import type { KeyRecord } from '../keys/types.ts';
import type { Commit, RunRecord } from './types.ts';

/** True where a replacement gives the document another original key. */
export function startsAfresh(before: Document, after: Document): boolean {
  return originalText(before) !== originalText(after);
}

/** A record that is in no version: its document's text has changed (see `IndexStore.putDocuments`). */
export function withdrawn(record: KeyRecord): KeyRecord {
  return { ...record, died: record.born };
}

/** The order in which stores tell key records: by id, then birth. */
export function compareRecords(a: KeyRecord, b: KeyRecord): number {
  return compareIds(a.id, b.id) || a.born - b.born;
}

/** The run to go on with, or undefined. */
export function latestRunning(runs: readonly RunRecord[]): RunRecord | undefined {
  return runs
    .filter((run) => run.status === 'running')
    .reduce<RunRecord | undefined>(
      (best, run) => (best && best.startedAt > run.startedAt ? best : run),
      undefined,
    );
}

/** Iterations of a run whose batch and journal a change makes needless: those up to `through`. */
export interface Finished {
  readonly runId: string;
  readonly through: number;
}

export function finishedByRun(run: RunRecord): Finished[] {
  return run.status === 'running' ? [] : [{ runId: run.id, through: Infinity }];
}

export function finishedByCommit({ version, run }: Commit): Finished[] {
  const iteration =
    version.runId !== undefined && version.iteration !== undefined
      ? [{ runId: version.runId, through: version.iteration }]
      : [];
  return [...iteration, ...(run ? finishedByRun(run) : [])];
}

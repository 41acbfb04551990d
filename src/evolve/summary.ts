import type { Criterion, GuardReport, IterationSummary, Revision } from '../keys/types.ts';
import type { RunBatch } from '../store/types.ts';
import type { KeyDelta } from './changes.ts';
import type { StageUsage } from './usage.ts';

export interface SummaryParts {
  readonly batch: RunBatch;
  readonly records: number;
  readonly visited: number;
  readonly revisions: readonly Revision[];
  readonly delta: KeyDelta;
  readonly usage: StageUsage;
  readonly guard?: GuardReport;
  readonly stoppedBy?: IterationSummary['stoppedBy'];
}

export function summarise(parts: SummaryParts): IterationSummary {
  const { batch, records, visited, revisions, delta, usage, guard, stoppedBy } = parts;
  const rejected: Record<Criterion, number> = { faithfulness: 0, specificity: 0, separation: 0 };
  for (const { verdicts } of revisions) {
    for (const verdict of verdicts) if (verdict.isNew && verdict.failed) rejected[verdict.failed]++;
  }
  return {
    queries: batch.queries.length,
    records,
    visited,
    diagnosed: revisions.filter((revision) => revision.diagnosis !== null).length,
    accepted: revisions.filter((revision) => revision.accepted).length,
    rejected,
    skipped: revisions.filter((revision) => revision.skipped !== undefined).length,
    newKeys: delta.born.filter((key) => key.kind === 'generated').length,
    droppedKeys: delta.died.filter((key) => key.kind === 'generated').length,
    expansionKeys: delta.born.filter((key) => key.kind === 'expansion').length,
    usage,
    ...(guard && { guard }),
    ...(stoppedBy && { stoppedBy }),
  };
}

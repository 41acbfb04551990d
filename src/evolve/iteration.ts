import type { FeedbackRecord, IterationSummary, Revision, Stage } from '../keys/types.ts';
import type { Roles } from '../roles/types.ts';
import type { Commit, IndexStore, RunBatch, RunRecord } from '../store/types.ts';
import type { Spent } from './budget.ts';
import { bornRecords, expansionDelta, generatedDelta, noChange, type KeyDelta } from './changes.ts';
import { collectFeedback } from './feedback.ts';
import { applyGuarded } from './guarded-apply.ts';
import { makeBatch } from './make-batch.ts';
import { orderRecords, type Experience } from './order.ts';
import { reviseAll } from './revise-all.ts';
import { configOf, type RunConfig } from './run-config.ts';
import type { IndexState } from './state.ts';
import { summarise } from './summary.ts';
import type { EvolveEvent } from './types.ts';
import { noUsage } from '../keys/usage.ts';
import type { StageUsage } from './usage.ts';

export interface IterationContext {
  readonly store: IndexStore;
  readonly state: IndexState;
  readonly roles: Roles;
  readonly emit: (event: EvolveEvent) => void;
  /** Stop and keep what has passed. */
  readonly stop?: AbortSignal;
  /** Leave at once, as a closed tab does; the run can be resumed. */
  readonly interrupt: AbortSignal;
  readonly clock: () => number;
  readonly now: () => number;
  /** What earlier iterations of the run have spent. */
  readonly spent: Spent;
}

export interface IterationResult {
  readonly version: number;
  readonly summary: IterationSummary;
  readonly run: RunRecord;
}

/** One pass of feedback → diagnosis → revision → validation over one batch of queries, committed as one version. */
export async function runIteration(run: RunRecord, context: IterationContext): Promise<IterationResult> {
  const { store, state, roles, emit, stop, interrupt, clock } = context;
  const config = configOf(run);
  const iteration = run.iterations;
  const working = AbortSignal.any(stop ? [stop, interrupt] : [interrupt]);
  const enter = (stage: Stage) => emit({ type: 'stage', iteration, stage });

  enter('simulate');
  const batch = await makeBatch({
    store,
    state,
    roles,
    config,
    run,
    clock,
    signal: working,
    onProgress: (done, total, usage) =>
      emit({ type: 'progress', iteration, stage: 'simulate', done, total, usage, secondsLeft: null }),
  });

  enter('feedback');
  const feedbackStart = clock();
  const records = await orderedRecords(batch, config, context, interrupt);
  const feedbackTime = clock() - feedbackStart;

  const work = await reviseAll(records, batch, run, { ...context, working });

  enter('expand');
  const expandStart = clock();
  const expansion = config.expansion
    ? expansionDelta(state.keySets, await state.wantedExpansionKeys(interrupt))
    : noChange;
  const expandTime = clock() - expandStart;

  enter('guard');
  const guardStart = clock();
  const generated = generatedChanges(work.revisions, state);
  const applied = await applyGuarded(state, { generated, expansion }, batch.heldOut, config.guard, interrupt);
  const usage: StageUsage = {
    ...work.usage,
    simulate: batch.usage,
    feedback: { ...noUsage, milliseconds: feedbackTime },
    expand: { ...noUsage, milliseconds: expandTime },
    guard: { ...noUsage, milliseconds: clock() - guardStart },
  };

  enter('commit');
  const version = state.version + 1;
  const undone = applied.report?.undone;
  const revisions = settle(work.revisions, version, undone === 'all' || undone === 'generated');
  const summary = summarise({
    batch,
    records: records.length,
    visited: work.visited,
    revisions,
    delta: applied.delta,
    usage,
    guard: applied.report,
    stoppedBy: work.stoppedBy ?? (undone === 'all' ? 'guard' : undefined),
  });
  const finished = iteration + 1 >= config.iterations || work.stoppedBy !== undefined;
  const next: RunRecord = {
    ...run,
    iterations: iteration + 1,
    version,
    heldOut: batch.heldOut,
    status: work.stoppedBy === 'signal' ? 'stopped' : finished ? 'finished' : 'running',
  };
  const commit: Commit = {
    version: {
      version,
      parent: state.version,
      kind: 'iteration',
      at: context.now(),
      runId: run.id,
      iteration,
      summary,
    },
    born: bornRecords(applied.delta, version),
    died: applied.delta.died.map((key) => key.id),
    revisions,
    queries: batch.queries,
    run: next,
  };
  try {
    await store.commit(commit);
  } catch (error) {
    await state.apply({ born: applied.delta.died, died: applied.delta.born });
    throw error;
  }
  state.advance(version);
  emit({ type: 'iteration', iteration, version, summary });
  return { version, summary, run: next };
}

async function orderedRecords(
  batch: RunBatch,
  config: RunConfig,
  { state, store }: IterationContext,
  signal: AbortSignal,
): Promise<FeedbackRecord[]> {
  const texts = batch.queries.map((query) => query.text);
  const hits = await state.retriever.topKeys(texts, config.settings.depth, signal);
  const snapshot = { documents: state.documents, keySets: state.keySets };
  const records = await collectFeedback(batch.queries, hits, snapshot, {
    withMissed: config.order === 'gain',
    signal,
  });
  const experience =
    config.order === 'gain' ? experienceOf(await store.revisions()) : new Map<string, Experience>();
  return orderRecords(records, config.order, experience);
}

function experienceOf(revisions: readonly Revision[]): Map<string, Experience> {
  const experience = new Map<string, { visits: number; acceptances: number }>();
  for (const { documentId, accepted } of revisions) {
    const known = experience.get(documentId) ?? { visits: 0, acceptances: 0 };
    experience.set(documentId, {
      visits: known.visits + 1,
      acceptances: known.acceptances + (accepted ? 1 : 0),
    });
  }
  return experience;
}

function generatedChanges(revisions: readonly Revision[], state: IndexState): KeyDelta {
  const deltas = revisions.flatMap(({ documentId, after }) => {
    const keys = state.keySets.get(documentId);
    return keys ? [generatedDelta(keys, after)] : [];
  });
  return { born: deltas.flatMap((delta) => delta.born), died: deltas.flatMap((delta) => delta.died) };
}

/** Accepted revisions get their version; what the guard undid is told as such. */
function settle(revisions: readonly Revision[], version: number, undone: boolean): Revision[] {
  return revisions.map((revision) => {
    if (!revision.accepted) return revision;
    return undone
      ? { ...revision, accepted: false, skipped: 'undone by the guard' }
      : { ...revision, version };
  });
}

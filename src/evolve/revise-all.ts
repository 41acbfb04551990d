import type { FeedbackRecord, IterationSummary, Revision } from '../keys/types.ts';
import type { JournalEntry, RunBatch, RunRecord } from '../store/types.ts';
import { exhausted, secondsLeft } from './budget.ts';
import type { IterationContext } from './iteration.ts';
import { reviseGroup } from './revise-group.ts';
import { configOf, type RunConfig } from './run-config.ts';
import type { IndexState } from './state.ts';
import type { EvolveEvent } from './types.ts';
import { addUsage, sumUsage } from '../keys/usage.ts';
import { mergeStages, type StageUsage } from './usage.ts';

export interface Work {
  readonly revisions: readonly Revision[];
  readonly visited: number;
  readonly usage: StageUsage;
  readonly stoppedBy?: IterationSummary['stoppedBy'];
}

/**
 * Goes through the records in groups of fixed composition, each journaled when it is done: a resumed iteration takes
 * finished groups from the journal, and its model sees the same batches as if nothing had happened.
 */
export async function reviseAll(
  records: readonly FeedbackRecord[],
  batch: RunBatch,
  run: RunRecord,
  context: IterationContext & { readonly working: AbortSignal },
): Promise<Work> {
  const { store, state, roles, emit, stop, spent } = context;
  const config = configOf(run);
  const iteration = run.iterations;
  const entries = await store.journal(run.id, iteration);
  const journal = new Map(
    entries.filter((e) => e.version === state.version).map((entry) => [entry.group, entry]),
  );
  const size = roles.batchSize;
  const groups = Math.ceil(records.length / size);
  let usage: StageUsage = {};
  let milliseconds = batch.usage.milliseconds;
  const revisions: Revision[] = [];
  const total = () => {
    const calls = addUsage(batch.usage, sumUsage(Object.values(usage)));
    return { ...calls, milliseconds: spent.milliseconds + milliseconds };
  };
  const stopped = (group: number, stoppedBy: Work['stoppedBy']): Work => ({
    revisions,
    visited: Math.min(group * size, records.length),
    usage,
    stoppedBy,
  });

  for (let group = 0; group < groups; group++) {
    let entry = journal.get(group);
    if (!entry) {
      if (stop?.aborted) return stopped(group, 'signal');
      const used = total();
      const bound = exhausted(config.budget, {
        calls: spent.calls + used.calls,
        inputTokens: spent.inputTokens + used.inputTokens,
        outputTokens: spent.outputTokens + used.outputTokens,
        milliseconds: used.milliseconds,
      });
      if (bound) return stopped(group, bound);
      const members = records.slice(group * size, (group + 1) * size);
      try {
        entry = await journaledGroup(members, group, run, config, context);
      } catch (error) {
        if (stop?.aborted && !context.interrupt.aborted) return stopped(group, 'signal');
        throw error;
      }
      for (const revision of entry.revisions) emit(documentEvent(revision, iteration, state));
    }
    revisions.push(...entry.revisions);
    usage = mergeStages(usage, entry.usage);
    milliseconds += entry.milliseconds;
    const done = Math.min((group + 1) * size, records.length);
    emit({
      type: 'progress',
      iteration,
      stage: 'revise',
      done,
      total: records.length,
      usage: total(),
      secondsLeft: secondsLeft(
        done,
        records.length,
        milliseconds - batch.usage.milliseconds,
        config.budget,
        spent.milliseconds + milliseconds,
      ),
    });
  }
  return { revisions, visited: records.length, usage };
}

async function journaledGroup(
  members: readonly FeedbackRecord[],
  group: number,
  run: RunRecord,
  config: RunConfig,
  { state, roles, clock, working, store, emit }: IterationContext & { readonly working: AbortSignal },
): Promise<JournalEntry> {
  const start = clock();
  const iteration = run.iterations;
  const { revisions, usage } = await reviseGroup(members, {
    state,
    roles,
    config,
    runId: run.id,
    iteration,
    signal: working,
    clock,
    onStage: (stage) => emit({ type: 'stage', iteration, stage }),
  });
  const entry: JournalEntry = {
    runId: run.id,
    iteration,
    version: state.version,
    group,
    revisions,
    usage,
    milliseconds: clock() - start,
  };
  await store.putJournal(entry);
  return entry;
}

function documentEvent(revision: Revision, iteration: number, state: IndexState): EvolveEvent {
  const { documentId, diagnosis, verdicts, accepted, skipped } = revision;
  const title = state.documents.get(documentId)?.title;
  return { type: 'document', iteration, documentId, title, diagnosis, verdicts, accepted, skipped };
}

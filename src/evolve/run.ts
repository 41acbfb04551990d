import type { IndexVersion } from '../keys/types.ts';
import type { RunRecord } from '../store/types.ts';
import type { exhausted, Spent } from './budget.ts';
import { runIteration, type IterationContext } from './iteration.ts';
import { configOf } from './run-config.ts';
import { addUsage, noUsage, sumUsage } from '../keys/usage.ts';

export interface RunHooks extends Omit<IterationContext, 'spent'> {
  /** After each commit: tell others. */
  readonly onCommit: (version: number) => Promise<void>;
}

/** Runs the iterations that a run has left. Between iterations nothing is in flight, so others may write there. */
export async function runEvolution(run: RunRecord, resumed: boolean, hooks: RunHooks): Promise<void> {
  const { store, state, emit, stop, interrupt } = hooks;
  const config = configOf(run);
  emit({ type: 'started', runId: run.id, resumed, iterations: config.iterations, roles: config.roles });
  let current = run;
  let stoppedBy: ReturnType<typeof exhausted>;
  let spent: Spent = spentBy(await store.versions(), run.id);

  while (current.status === 'running' && current.iterations < config.iterations) {
    interrupt.throwIfAborted();
    try {
      const { version, summary, run: next } = await runIteration(current, { ...hooks, spent });
      current = next;
      stoppedBy = summary.stoppedBy;
      spent = addUsage({ ...noUsage, ...spent }, sumUsage(Object.values(summary.usage)));
      await hooks.onCommit(version);
    } catch (error) {
      // Stopped before the iteration had anything to keep: the last version stands and the run is over.
      if (!stop?.aborted || interrupt.aborted) throw error;
      current = { ...current, status: 'stopped' };
      stoppedBy = 'signal';
      await store.putRun(current);
    }
  }
  if (current.status === 'running') await store.putRun({ ...current, status: 'finished' });
  emit({ type: 'finished', runId: run.id, version: state.version, ...(stoppedBy && { stoppedBy }) });
}

function spentBy(versions: readonly IndexVersion[], runId: string): Spent {
  const own = versions.filter((version) => version.runId === runId);
  return sumUsage(own.flatMap(({ summary }) => (summary ? Object.values(summary.usage) : [])));
}

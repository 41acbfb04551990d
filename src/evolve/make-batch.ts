import type { EvolutionQuery, Usage } from '../keys/types.ts';
import type { Roles } from '../roles/types.ts';
import type { IndexStore, RunBatch, RunRecord } from '../store/types.ts';
import type { RunConfig } from './run-config.ts';
import { simulateQueries } from './simulate.ts';
import type { IndexState } from './state.ts';
import { addUsage, noUsage } from '../keys/usage.ts';

export interface BatchContext {
  readonly store: IndexStore;
  readonly state: IndexState;
  readonly roles: Roles;
  readonly config: RunConfig;
  readonly run: RunRecord;
  readonly clock: () => number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (made: number, wanted: number, usage: Usage) => void;
}

/**
 * The queries of one iteration: observed ones that nobody used yet, then external ones where they were given, else
 * simulated ones; and, once per run, the guard's held-out queries. Saved when complete, so a resumed run has the same.
 */
export async function makeBatch(context: BatchContext): Promise<RunBatch> {
  const { store, state, config, run, clock } = context;
  const { id: runId, iterations: iteration } = run;
  const saved = await store.batch(runId, iteration);
  // One made for another version (the person went back, or taught, before resuming) no longer fits.
  if (saved?.version === state.version) return saved;

  const start = clock();
  const used = await store.queries();
  const observed = (await store.pendingQueries()).slice(0, config.batch);
  const queries = [...observed];
  let usage = noUsage;
  let heldOut = run.heldOut;
  if (config.queries) {
    queries.push(...config.queries.slice(iteration * config.batch, (iteration + 1) * config.batch));
  } else if (queries.length < config.batch) {
    const made = await simulate(context, `iteration/${iteration}`, config.batch - queries.length, [
      ...used,
      ...(heldOut ?? []),
      ...observed,
    ]);
    queries.push(...made.queries);
    usage = addUsage(usage, made.usage);
  }
  if (config.guard && !heldOut) {
    const made = await simulate(context, 'held-out', config.guard.queries, [...used, ...queries]);
    heldOut = made.queries;
    usage = addUsage(usage, made.usage);
  }
  const batch: RunBatch = {
    runId,
    iteration,
    version: state.version,
    queries,
    heldOut: heldOut ?? [],
    usage: { ...usage, milliseconds: clock() - start },
  };
  await store.putBatch(batch);
  return batch;
}

function simulate(context: BatchContext, name: string, count: number, used: readonly EvolutionQuery[]) {
  const { state, roles, config, signal, onProgress } = context;
  return simulateQueries({
    documents: [...state.documents.values()],
    simulator: roles.simulator,
    judge: roles.judge,
    view: state.view,
    count,
    batchSize: roles.batchSize,
    used,
    seed: `${config.seed}/${name}`,
    signal,
    onProgress: (made, usage) => onProgress?.(made, count, usage),
  });
}

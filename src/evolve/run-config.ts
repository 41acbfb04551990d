import { contentHash } from '../base/hash.ts';
import type { JsonValue } from '../base/json.ts';
import type { EvolutionQuery } from '../keys/types.ts';
import type { Roles } from '../roles/types.ts';
import type { RunRecord } from '../store/types.ts';
import type { GuardOptions } from './guard.ts';
import type { IndexState } from './state.ts';
import type { Budget, EvolveOptions, IndexSettings } from './types.ts';

/** Everything that decides the result of a run, with defaults filled in: plain data, saved with the run. */
export interface RunConfig {
  readonly iterations: number;
  readonly batch: number;
  readonly order: 'paper' | 'gain';
  readonly budget: Budget;
  readonly seed: number;
  readonly guard: (GuardOptions & { readonly queries: number }) | null;
  readonly prune: boolean;
  readonly fullVerdicts: boolean;
  readonly expansion: boolean;
  readonly queries: readonly EvolutionQuery[] | null;
  readonly settings: IndexSettings;
  readonly roles: { readonly [role: string]: JsonValue };
  /** A resumed run must find the texts that it started with. */
  readonly documents: string;
}

export const evolveDefaults = {
  iterations: 1,
  batch: 128,
  order: 'gain',
  seed: 0,
  guard: { queries: 64, tolerance: 0.005, rollback: true },
} as const;

export function makeConfig(
  options: EvolveOptions,
  settings: IndexSettings,
  roles: Roles,
  state: IndexState,
): RunConfig {
  return {
    iterations: options.iterations ?? evolveDefaults.iterations,
    batch: options.batch ?? evolveDefaults.batch,
    order: options.order ?? evolveDefaults.order,
    budget: options.budget ?? {},
    seed: options.seed ?? evolveDefaults.seed,
    guard: options.guard === false ? null : { ...evolveDefaults.guard, ...options.guard },
    prune: options.prune ?? false,
    fullVerdicts: options.fullVerdicts ?? false,
    expansion: options.expansion ?? true,
    queries: options.queries ?? null,
    settings,
    roles: roleIds(roles),
    documents: documentsHash(state),
  };
}

export function roleIds(roles: Roles): { readonly [role: string]: JsonValue } {
  return {
    diagnoser: roles.diagnoser.id,
    reviser: roles.reviser.id,
    judge: roles.judge.id,
    simulator: roles.simulator.id,
    batchSize: roles.batchSize,
  };
}

export function documentsHash(state: IndexState): string {
  return contentHash([...state.documents.values()].map((d) => [d.id, d.title ?? '', d.text]));
}

/** The same evolution of the same index always has the same id, so a repeated run is byte for byte the same. */
export function startRun(config: RunConfig, version: number, startedAt: number): RunRecord {
  return {
    id: `run-${version}-${contentHash(config).slice(0, 12)}`,
    startedAt,
    config: config as unknown as RunRecord['config'],
    status: 'running',
    iterations: 0,
    version,
  };
}

export function configOf(run: RunRecord): RunConfig {
  return run.config as unknown as RunConfig;
}

import { contentHash } from '../base/hash.ts';
import { mapPaced } from '../base/pacer.ts';
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

/** @param documents what `documentsHash` says of them */
export function makeConfig(
  options: EvolveOptions,
  settings: IndexSettings,
  roles: Roles,
  documents: string,
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
    documents,
  };
}

export function roleIds(roles: Roles): { readonly [role: string]: JsonValue } {
  return {
    diagnoser: roles.diagnoser.id,
    reviser: roles.reviser.id,
    judge: roles.judge.id,
    simulator: roles.simulator.id,
    batchSize: roles.batchSize,
    ...(roles.prompts !== undefined && { prompts: roles.prompts }),
  };
}

/** Documents of a state never change, and hashing thousands takes a while: once for each state, in slices. */
const hashes = new WeakMap<IndexState['documents'], Promise<string>>();

export function documentsHash({ documents }: Pick<IndexState, 'documents'>): Promise<string> {
  const known = hashes.get(documents);
  if (known) return known;
  const each = mapPaced([...documents.values()], ({ id, title = '', text }) =>
    contentHash([id, title, text]),
  );
  const hash = each.then(contentHash);
  hashes.set(documents, hash);
  return hash;
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

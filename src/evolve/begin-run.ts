import { SelfIndexError } from '../base/errors.ts';
import type { Roles } from '../roles/types.ts';
import type { IndexStore, RunRecord } from '../store/types.ts';
import type { checkEvolveOptions } from './check-options.ts';
import { configOf, documentsHash, makeConfig, roleIds, startRun } from './run-config.ts';
import type { IndexState } from './state.ts';
import type { IndexSettings } from './types.ts';

export interface Begun {
  readonly run: RunRecord;
  readonly resumed: boolean;
}

/** What a run begins from. */
export interface Beginning {
  readonly store: IndexStore;
  readonly state: IndexState;
  readonly settings: IndexSettings;
  readonly now: number;
}

/** A new run; one that was interrupted before is given up. */
export async function beginRun(
  options: ReturnType<typeof checkEvolveOptions>,
  roles: Roles,
  { store, state, settings, now }: Beginning,
): Promise<Begun> {
  const abandoned = await store.unfinishedRun();
  if (abandoned) await store.putRun({ ...abandoned, status: 'stopped' });
  const run = startRun(makeConfig(options, settings, roles, await documentsHash(state)), state.version, now);
  await store.putRun(run);
  return { run, resumed: false };
}

/**
 * The interrupted run, to be gone on with; null where there is none.
 * @throws SelfIndexError `invalid-argument` where other roles began it
 */
export async function continueRun(
  roles: Roles,
  from: Pick<Beginning, 'store' | 'state'>,
): Promise<Begun | null> {
  const run = await interruptedRun(from);
  if (!run) return null;
  const before = JSON.stringify(configOf(run).roles);
  if (before !== JSON.stringify(roleIds(roles))) {
    throw new SelfIndexError(
      'invalid-argument',
      `The interrupted evolution had other roles (${before}). Open the index with those, or start a new evolution.`,
    );
  }
  return { run, resumed: true };
}

/** A run that was cut short, if the documents are still those that it began with. */
export async function interruptedRun({
  store,
  state,
}: Pick<Beginning, 'store' | 'state'>): Promise<RunRecord | undefined> {
  const run = await store.unfinishedRun();
  return run && configOf(run).documents === (await documentsHash(state)) ? run : undefined;
}

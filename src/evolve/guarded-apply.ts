import type { EvolutionQuery, GuardReport } from '../keys/types.ts';
import { isEmptyDelta, joinDeltas, noChange, reverseDelta, type KeyDelta } from './changes.ts';
import { guardReport, meanGain, rankHeldOut, worseQueries, type GuardOptions } from './guard.ts';
import type { IndexState } from './state.ts';

export interface GuardedChanges {
  readonly generated: KeyDelta;
  readonly expansion: KeyDelta;
}

export interface Applied {
  readonly delta: KeyDelta;
  readonly report?: GuardReport;
}

/**
 * Applies an iteration's changes to the index in memory and measures the held-out queries before and after. Where the
 * drop is beyond the tolerance and undoing is asked for, it tries what is left without the expansion keys, then
 * without the generated ones, and keeps the first that holds; nothing is in the store yet.
 */
export async function applyGuarded(
  state: IndexState,
  changes: GuardedChanges,
  heldOut: readonly EvolutionQuery[],
  guard: GuardOptions | null,
  signal?: AbortSignal,
): Promise<Applied> {
  const all = joinDeltas(changes.generated, changes.expansion);
  if (!guard || heldOut.length === 0) {
    await state.apply(all, signal);
    return { delta: all };
  }

  const rankingsBefore = await rankHeldOut(state.retriever, heldOut, signal);
  const before = meanGain(heldOut, rankingsBefore);
  const attempt = async (delta: KeyDelta) => {
    await state.apply(delta, signal);
    const rankings = await rankHeldOut(state.retriever, heldOut, signal);
    return { rankings, after: meanGain(heldOut, rankings) };
  };

  const whole = await attempt(all);
  const worse = worseQueries(heldOut, rankingsBefore, whole.rankings, state.keySets);
  const report = guardReport(heldOut, before, whole.after, guard.tolerance, worse);
  if (report.held || !guard.rollback) return { delta: all, report };

  await state.apply(reverseDelta(all));
  const parts = [
    { delta: changes.generated, undone: 'expansion' as const, other: changes.expansion },
    { delta: changes.expansion, undone: 'generated' as const, other: changes.generated },
  ];
  for (const { delta, undone, other } of parts) {
    if (isEmptyDelta(delta) || isEmptyDelta(other)) continue;
    const part = await attempt(delta);
    if (part.after >= before - guard.tolerance)
      return { delta, report: { ...report, after: part.after, undone } };
    await state.apply(reverseDelta(delta));
  }
  return { delta: noChange, report: { ...report, undone: 'all' } };
}

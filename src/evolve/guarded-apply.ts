import type { EvolutionQuery, GuardReport } from '../keys/types.ts';
import { isEmptyDelta, joinDeltas, noChange, reverseDelta, type KeyDelta } from './changes.ts';
import {
  guardReport,
  meanGain,
  rankHeldOut,
  shortened,
  worseQueries,
  type GuardOptions,
  type HeldOutRankings,
} from './guard.ts';
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
 *
 * Before that, generated keys must hold alone on the shortened queries too: a role wrote them, and it may write anything.
 * Expansion keys need not: they are computed from the documents, and lift neighbours of a source that answer as well.
 */
export async function applyGuarded(
  state: IndexState,
  changes: GuardedChanges,
  heldOut: readonly EvolutionQuery[],
  guard: GuardOptions | null,
  signal?: AbortSignal,
): Promise<Applied> {
  if (!guard || heldOut.length === 0) {
    const all = joinDeltas(changes.generated, changes.expansion);
    await state.apply(all, signal);
    return { delta: all };
  }
  const lowest = (before: number) => before - guard.tolerance;
  const rankingsBefore = await rankHeldOut(state.retriever, heldOut, signal);
  const before = meanGain(heldOut, rankingsBefore);
  const reportOf = (rankings: HeldOutRankings) =>
    guardReport(
      heldOut,
      before,
      meanGain(heldOut, rankings),
      guard.tolerance,
      worseQueries(heldOut, rankingsBefore, rankings, state.keySets),
    );
  const attempt = async (delta: KeyDelta) => {
    await state.apply(delta, signal);
    return rankHeldOut(state.retriever, heldOut, signal);
  };

  const alone = await onShortened(state, changes.generated, heldOut, signal);
  const refused = alone !== undefined && alone.after < lowest(alone.before);
  if (refused && guard.rollback) {
    await state.apply(reverseDelta(changes.generated));
    const rest = reportOf(await attempt(changes.expansion));
    const report = {
      ...rest,
      shortened: { before: alone.before, after: alone.after },
      worse: alone.worse,
      held: false,
    };
    if (rest.held && !isEmptyDelta(changes.expansion))
      return { delta: changes.expansion, report: { ...report, undone: 'generated' } };
    await state.apply(reverseDelta(changes.expansion));
    return { delta: noChange, report: { ...report, undone: 'all' } };
  }

  const all = joinDeltas(changes.generated, changes.expansion);
  const whole = reportOf(await attempt(changes.expansion));
  const measured = alone && { before: alone.before, after: alone.after };
  const report = { ...whole, held: whole.held && !refused, ...(measured ? { shortened: measured } : {}) };
  if (whole.held || !guard.rollback) return { delta: all, report };

  await state.apply(reverseDelta(all));
  const parts = [
    { delta: changes.generated, undone: 'expansion' as const, other: changes.expansion },
    { delta: changes.expansion, undone: 'generated' as const, other: changes.generated },
  ];
  for (const { delta, undone, other } of parts) {
    if (isEmptyDelta(delta) || isEmptyDelta(other)) continue;
    const after = meanGain(heldOut, await attempt(delta));
    if (after >= lowest(before)) return { delta, report: { ...report, after, undone } };
    await state.apply(reverseDelta(delta));
  }
  return { delta: noChange, report: { ...report, undone: 'all' } };
}

/** Applies generated keys and measures the shortened queries before and after; nothing where no key changes. */
async function onShortened(
  state: IndexState,
  generated: KeyDelta,
  heldOut: readonly EvolutionQuery[],
  signal?: AbortSignal,
) {
  if (isEmptyDelta(generated)) return undefined;
  const short = shortened(heldOut);
  const rankingsBefore = await rankHeldOut(state.retriever, short, signal);
  await state.apply(generated, signal);
  const rankings = await rankHeldOut(state.retriever, short, signal);
  return {
    before: meanGain(short, rankingsBefore),
    after: meanGain(short, rankings),
    worse: worseQueries(short, rankingsBefore, rankings, state.keySets),
  };
}

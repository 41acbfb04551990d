import type { IndexKey, KeySet, Verdict } from '../keys/types.ts';

export interface GateDecision {
  /** A new key passed. */
  readonly accepted: boolean;
  /** Generated keys after the gate. */
  readonly generated: readonly IndexKey[];
  /** Kept keys that failed while no new key passed. */
  readonly stale: readonly string[];
}

/**
 * design.md §3d: if at least one new key passed every criterion, all passing keys stand; otherwise the key set stays
 * exactly as it was, failing kept keys included (they are reported as stale; `prune` drops them).
 */
export function gate(
  current: KeySet,
  kept: readonly IndexKey[],
  fresh: readonly IndexKey[],
  verdicts: readonly Verdict[],
  { prune = false }: { prune?: boolean } = {},
): GateDecision {
  const passed = new Set(verdicts.filter((verdict) => verdict.passed).map((verdict) => verdict.keyId));
  const freshPassing = fresh.filter((key) => passed.has(key.id));
  if (freshPassing.length > 0) {
    return {
      accepted: true,
      generated: [...kept.filter((key) => passed.has(key.id)), ...freshPassing],
      stale: [],
    };
  }
  const failed = new Set(
    verdicts.filter((verdict) => verdict.failed !== undefined).map((verdict) => verdict.keyId),
  );
  const stale = kept.filter((key) => failed.has(key.id)).map((key) => key.id);
  if (!prune || stale.length === 0) return { accepted: false, generated: current.generated, stale };
  return { accepted: false, generated: current.generated.filter((key) => !stale.includes(key.id)), stale };
}

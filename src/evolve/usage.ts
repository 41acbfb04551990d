import type { Stage, Usage } from '../keys/types.ts';

export const noUsage: Usage = { calls: 0, cached: 0, inputTokens: 0, outputTokens: 0, milliseconds: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    cached: a.cached + b.cached,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    milliseconds: a.milliseconds + b.milliseconds,
  };
}

export function sumUsage(parts: Iterable<Usage>): Usage {
  let total = noUsage;
  for (const part of parts) total = addUsage(total, part);
  return total;
}

export type StageUsage = Readonly<Partial<Record<Stage, Usage>>>;

/** Stage by stage sum. */
export function mergeStages(a: StageUsage, b: StageUsage): StageUsage {
  const merged: Partial<Record<Stage, Usage>> = { ...a };
  for (const [stage, usage] of Object.entries(b) as [Stage, Usage][]) {
    merged[stage] = addUsage(merged[stage] ?? noUsage, usage);
  }
  return merged;
}

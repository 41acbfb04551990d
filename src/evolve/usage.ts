import type { Stage, Usage } from '../keys/types.ts';
import { addUsage, noUsage } from '../keys/usage.ts';

export type StageUsage = Readonly<Partial<Record<Stage, Usage>>>;

/** Stage by stage sum. */
export function mergeStages(a: StageUsage, b: StageUsage): StageUsage {
  const merged: Partial<Record<Stage, Usage>> = { ...a };
  for (const [stage, usage] of Object.entries(b) as [Stage, Usage][]) {
    merged[stage] = addUsage(merged[stage] ?? noUsage, usage);
  }
  return merged;
}

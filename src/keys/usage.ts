import type { Usage } from './types.ts';

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

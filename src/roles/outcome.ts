import { noUsage } from '../keys/usage.ts';
import type { Usage } from '../keys/types.ts';
import type { Outcome } from './types.ts';

/** What rules cost: nothing. */
export function succeeded<T>(value: T, usage: Usage = noUsage): Outcome<T> {
  return { ok: true, value, usage };
}

export function failed<T>(problem: string, usage: Usage = noUsage): Outcome<T> {
  return { ok: false, problem, usage };
}

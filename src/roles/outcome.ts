import { noUsage, sumUsage } from '../keys/usage.ts';
import type { Usage } from '../keys/types.ts';
import type { Outcome } from './types.ts';

/** What rules cost: nothing. */
export function succeeded<T>(value: T, usage: Usage = noUsage): Outcome<T> {
  return { ok: true, value, usage };
}

export function failed<T>(problem: string, usage: Usage = noUsage): Outcome<T> {
  return { ok: false, problem, usage };
}

/** Several outcomes as one; one without a value fails it. Usage is the sum. */
export function together<T>(outcomes: readonly Outcome<T>[]): Outcome<T[]> {
  const usage = sumUsage(outcomes.map((one) => one.usage));
  const values: T[] = [];
  for (const one of outcomes) {
    if (!one.ok) return failed(one.problem, usage);
    values.push(one.value);
  }
  return succeeded(values, usage);
}

import { SelfIndexError } from '../base/errors.ts';

/** @throws SelfIndexError `invalid-argument`; `dimensions` is that of the space, undefined while it is empty. */
export function requireVectors(
  space: string,
  entries: readonly { readonly hash: string; readonly vector: Float32Array }[],
  dimensions: number | undefined,
): void {
  const expected = dimensions ?? entries[0]?.vector.length;
  for (const { hash, vector } of entries) {
    if (vector.length === 0 || vector.length !== expected) {
      throw invalid(space, `The vector of ${hash} has ${vector.length} dimensions instead of ${expected}.`);
    }
    if (!allFinite(vector)) throw invalid(space, `The vector of ${hash} holds NaN or an infinity.`);
  }
}

export function allFinite(values: Float32Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

function invalid(space: string, what: string): SelfIndexError {
  return new SelfIndexError(
    'invalid-argument',
    `${what} Nothing was stored in the space ${JSON.stringify(space)}; embed the text again.`,
  );
}

import type { Teaching } from '../../evolve/types.ts';
import { normaliseKeyText } from '../../keys/normalise.ts';

/** Searches that someone taught with, as `normaliseKeyText` writes them. */
export type Taught = ReadonlySet<string>;

export const noneTaught: Taught = new Set();

/** All of them, also where the gate refused: the search itself is observed, and the next evolution looks at it. */
export function taughtBy(teachings: readonly Teaching[]): Taught {
  return new Set(teachings.map(({ query }) => normaliseKeyText(query.text)));
}

export function hasTaught(taught: Taught, query: string): boolean {
  return taught.has(normaliseKeyText(query));
}

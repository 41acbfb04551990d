/** `auto` skips work where that pays; the other two are for tests and benchmarks. The results are the same. */
export type Pruning = 'auto' | 'always' | 'never';

/** Looking for a threshold passes over everything that was touched; it can pay when clearly more than that is to come. */
export function worthTesting(pruning: Pruning, postingsLeft: number, touched: number): boolean {
  if (pruning !== 'auto') return pruning === 'always';
  return postingsLeft > 512 && postingsLeft > 2 * touched;
}

/** A term is looked up in a candidate's row by bisection, some ten times the work of a posting in a list. */
export function worthFinishing(pruning: Pruning, postingsLeft: number, lookups: number): boolean {
  return pruning === 'always' || lookups * 10 < postingsLeft;
}

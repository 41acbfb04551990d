/** Code point order of ids: the one tie-break of the whole system, independent of any locale. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Best score first, ties by id. */
export function byScoreThenId<T>(score: (item: T) => number, id: (item: T) => string) {
  return (a: T, b: T): number => score(b) - score(a) || compareIds(id(a), id(b));
}

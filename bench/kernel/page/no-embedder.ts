/** Stands in for a peer's embedding model, which no benchmark calls. */
export function pipeline(): never {
  throw new Error('The benchmark brings vectors of its own.');
}

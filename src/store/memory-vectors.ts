import type { VectorBlock } from './snapshot.ts';
import type { VectorStore } from './types.ts';
import { requireVectors } from './vector-checks.ts';

type Entries = Parameters<VectorStore['put']>[1];

/** Vectors by space and hash, in memory. */
export class MemoryVectors {
  readonly #spaces = new Map<string, Map<string, Float32Array>>();

  get(space: string, hashes: readonly string[]): (Float32Array | undefined)[] {
    const vectors = this.#spaces.get(space);
    return hashes.map((hash) => vectors?.get(hash)?.slice());
  }

  put(space: string, entries: Entries): void {
    const vectors = this.#spaces.get(space) ?? new Map<string, Float32Array>();
    const [first] = vectors.values();
    requireVectors(space, entries, first?.length);
    for (const { hash, vector } of entries) if (!vectors.has(hash)) vectors.set(hash, vector.slice());
    if (vectors.size > 0) this.#spaces.set(space, vectors);
  }

  /** Spaces by name, vectors in the order in which they came. */
  blocks(): VectorBlock[] {
    return [...this.#spaces.keys()].sort().map((space) => {
      const vectors = [...(this.#spaces.get(space) ?? [])];
      const dimensions = vectors[0][1].length;
      const data = new Float32Array(vectors.length * dimensions);
      vectors.forEach(([, vector], row) => data.set(vector, row * dimensions));
      return { space, dimensions, hashes: vectors.map(([hash]) => hash), data };
    });
  }

  replace(blocks: readonly VectorBlock[]): void {
    this.#spaces.clear();
    for (const { space, dimensions, hashes, data } of blocks) {
      const vector = (row: number) => data.subarray(row * dimensions, (row + 1) * dimensions);
      this.put(
        space,
        hashes.map((hash, row) => ({ hash, vector: vector(row) })),
      );
    }
  }
}

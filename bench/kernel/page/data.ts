import { createRandom, type Random } from '../../../src/base/random.ts';

export interface Collection {
  readonly dimensions: number;
  readonly count: number;
  readonly vectors: Float32Array;
  /** 128 of them. */
  readonly queries: Float32Array;
}

const tableSize = 1 << 20;

/**
 * L2-normalised vectors in isotropic clusters of about 100: a centre, and noise of the same length in every direction. Nothing
 * correlates, so many rows score nearly alike and quantisation has it as hard as it gets. Queries are rows of
 * the collection with as much noise again.
 */
export function clusters(count: number, dimensions: number): Collection {
  const random = createRandom(`clusters ${dimensions}`);
  const noise = gaussians(random);
  const centres = Math.max(8, Math.round(count / 100));
  const centreOf = Int32Array.from({ length: centres }, () => random.integer(tableSize));
  const vectors = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row++) {
    const centre = centreOf[random.integer(centres)];
    mix(vectors, row * dimensions, dimensions, noise, centre, noise, random.integer(tableSize));
  }
  const queries = new Float32Array(128 * dimensions);
  for (let q = 0; q < 128; q++) {
    const row = random.integer(count);
    const start = row * dimensions;
    const scaled = vectors.subarray(start, start + dimensions).map((x) => x * Math.sqrt(dimensions));
    mix(queries, q * dimensions, dimensions, scaled, 0, noise, random.integer(tableSize));
  }
  return { dimensions, count, vectors, queries };
}

/** The normalised sum of two vectors, each read from a table from some place on. */
function mix(
  target: Float32Array,
  at: number,
  dimensions: number,
  first: Float32Array,
  firstAt: number,
  second: Float32Array,
  secondAt: number,
): void {
  let squared = 0;
  for (let i = 0; i < dimensions; i++) {
    const x = first[(firstAt + i) & (tableSize - 1)] + second[(secondAt + i * 7) & (tableSize - 1)];
    target[at + i] = x;
    squared += x * x;
  }
  const norm = 1 / Math.sqrt(squared);
  for (let i = 0; i < dimensions; i++) target[at + i] *= norm;
}

/** Standard normal numbers (Box and Muller). */
function gaussians(random: Random): Float32Array {
  const table = new Float32Array(tableSize);
  for (let i = 0; i < tableSize; i++) {
    table[i] = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  }
  return table;
}

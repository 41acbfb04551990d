import { createRandom, type Random } from '../../../src/base/random.ts';

export interface Collection {
  readonly dimensions: number;
  readonly count: number;
  readonly vectors: Float32Array;
  /** 128 of them. */
  readonly queries: Float32Array;
}

const tableSize = 1 << 20;
const queryCount = 128;

/**
 * L2-normalised vectors in isotropic clusters of about 100: a centre, and noise of the same length in every direction. Nothing
 * correlates, so many rows score nearly alike and quantisation has it as hard as it gets. Queries are rows of
 * the collection with as much noise again. Rows come in pieces, so that a million need not be held twice.
 */
export class Clusters {
  private readonly random: Random;
  private readonly noise: Float32Array;
  private readonly centres: Int32Array;

  constructor(
    readonly count: number,
    readonly dimensions: number,
  ) {
    this.random = createRandom(`clusters ${dimensions}`);
    this.noise = gaussians(this.random);
    const centres = Math.max(8, Math.round(count / 100));
    this.centres = Int32Array.from({ length: centres }, () => this.random.integer(tableSize));
  }

  *pieces(rows = 8192): Generator<Float32Array> {
    const { count, dimensions, noise, random, centres } = this;
    for (let first = 0; first < count; first += rows) {
      const taken = Math.min(rows, count - first);
      const piece = new Float32Array(taken * dimensions);
      for (let row = 0; row < taken; row++) {
        const centre = centres[random.integer(centres.length)];
        mix(piece, row * dimensions, dimensions, noise, centre, noise, random.integer(tableSize));
      }
      yield piece;
    }
  }

  /** Queries near rows of a piece. */
  queriesNear(piece: Float32Array): Float32Array {
    const { dimensions, noise, random } = this;
    const queries = new Float32Array(queryCount * dimensions);
    for (let q = 0; q < queryCount; q++) {
      const start = random.integer(piece.length / dimensions) * dimensions;
      const row = piece.subarray(start, start + dimensions).map((x) => x * Math.sqrt(dimensions));
      mix(queries, q * dimensions, dimensions, row, 0, noise, random.integer(tableSize));
    }
    return queries;
  }
}

export function clusters(count: number, dimensions: number): Collection {
  const source = new Clusters(count, dimensions);
  const vectors = new Float32Array(count * dimensions);
  let at = 0;
  for (const piece of source.pieces()) {
    vectors.set(piece, at);
    at += piece.length;
  }
  return { dimensions, count, vectors, queries: source.queriesNear(vectors) };
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

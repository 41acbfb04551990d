import { createRandom, type Random } from '../../../src/base/random.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { TopDocuments, TopK, VectorKernel } from '../../../src/kernel/types.ts';
import { kinds, vectorsOf } from './cases.ts';
import type { Maker } from './laws.ts';

/** A key of the model: what a row stands for. */
interface Key {
  readonly vector: Float32Array;
  readonly document: number;
  readonly original: boolean;
  row: number;
}

/**
 * One random life of an index: keys come and go, versions are remembered and rolled back to, as an evolution does, and every search is
 * compared with a reference kernel built afresh from the keys that the model in memory holds. Returns what
 * differed, or undefined. The same seed gives the same life.
 */
export async function fuzz(make: Maker, seed: number): Promise<string | undefined> {
  const random = createRandom(`fuzz ${seed}`);
  const dimensions = [1, 4, 16, 33, 64, 96][random.integer(6)];
  const kind = kinds[random.integer(kinds.length)];
  const kernel = await make(dimensions);
  let keys: Key[] = [];
  const versions: Key[][] = [];
  for (let step = 0; step < 12; step++) {
    const action = random.integer(10);
    if (action < 3 || keys.length === 0) {
      keys = [...keys, ...add(kernel, newKeys(1 + random.integer(60), dimensions, random), dimensions)];
    } else if (action === 3) {
      versions.push(keys);
    } else if (action === 4 && versions.length > 0) {
      keys = rollBack(kernel, keys, versions[random.integer(versions.length)], dimensions);
    } else if (action < 7) {
      const gone = new Set(keys.filter(() => random.next() < 0.3));
      kernel.remove(Array.from(gone, (key) => key.row));
      keys = keys.filter((key) => !gone.has(key));
    } else {
      const difference = compare(kernel, keys, dimensions, random);
      if (difference) return `seed ${seed}, step ${step}, ${kind}, ${dimensions} dimensions: ${difference}`;
    }
  }
  kernel.dispose();
  return undefined;

  function newKeys(count: number, size: number, source: Random): Omit<Key, 'row'>[] {
    const vectors = vectorsOf(kind, count, size, source);
    return Array.from({ length: count }, (_, i) => ({
      vector: vectors.slice(i * size, (i + 1) * size),
      document: source.integer(40),
      original: source.next() < 0.3,
    }));
  }
}

function add(kernel: VectorKernel, keys: readonly Omit<Key, 'row'>[], dimensions: number): Key[] {
  const vectors = new Float32Array(keys.length * dimensions);
  keys.forEach(({ vector }, i) => vectors.set(vector, i * dimensions));
  const first = kernel.add(vectors, {
    documents: Uint32Array.from(keys, (key) => key.document),
    originals: Uint8Array.from(keys, (key) => (key.original ? 1 : 0)),
  });
  return keys.map((key, i) => ({ ...key, row: first + i }));
}

/** What was born since goes, what has died since is born again under a new row. */
function rollBack(
  kernel: VectorKernel,
  now: readonly Key[],
  then: readonly Key[],
  dimensions: number,
): Key[] {
  const present = new Set(now);
  const wanted = new Set(then);
  kernel.remove(now.filter((key) => !wanted.has(key)).map((key) => key.row));
  const kept = now.filter((key) => wanted.has(key));
  return [
    ...kept,
    ...add(
      kernel,
      then.filter((key) => !present.has(key)),
      dimensions,
    ),
  ];
}

function compare(
  kernel: VectorKernel,
  keys: readonly Key[],
  dimensions: number,
  random: Random,
): string | undefined {
  if (kernel.live !== keys.length) return `${kernel.live} live rows instead of ${keys.length}`;
  const reference = createReferenceKernel(dimensions);
  const ordered = add(
    reference,
    [...keys].sort((a, b) => a.row - b.row),
    dimensions,
  );
  // Row numbers of the reference, in the same order as those of the kernel: ties fall alike.
  const rows = Uint32Array.from(
    [...keys].sort((a, b) => a.row - b.row),
    (key) => key.row,
  );
  const kind = kinds[random.integer(kinds.length)];
  const queries = vectorsOf(kind, 1 + random.integer(5), dimensions, random);
  const k = 1 + random.integer(20);
  const blend = [0.5, 1, 0][random.integer(3)];
  const filter = random.next() < 0.5 ? ordered.map(() => random.next() < 0.5) : undefined;
  const theirs = filter && bitmap(filter, (i) => i, ordered.length);
  const ours = filter && bitmap(filter, (i) => rows[i], kernel.length);
  const top = renumber(reference.topK(queries, k, theirs), rows);
  const documents = renumber(reference.topDocuments(queries, k, blend, theirs), rows);
  const own = Array.from({ length: queries.length / dimensions }, () => random.integer(ordered.length));
  const ranks = reference.rankCounts(queries, Uint32Array.from(own), theirs);
  return (
    differ('topK', kernel.topK(queries, k, ours), top) ??
    differ('topDocuments', kernel.topDocuments(queries, k, blend, ours), documents) ??
    differ(
      'rankCounts',
      {
        ranks: kernel.rankCounts(
          queries,
          Uint32Array.from(own, (i) => rows[i]),
          ours,
        ),
      },
      { ranks },
    )
  );
}

function bitmap(filter: readonly boolean[], rowOf: (i: number) => number, length: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(length / 32));
  filter.forEach((admitted, i) => {
    if (admitted) words[rowOf(i) >>> 5] |= 1 << (rowOf(i) & 31);
  });
  return words;
}

function renumber<Found extends TopK | TopDocuments>(found: Found, rows: Uint32Array): Found {
  const renumbered = found.rows.slice();
  found.counts.forEach((count, q) => {
    for (let i = q * found.k; i < q * found.k + count; i++) renumbered[i] = rows[found.rows[i]];
  });
  return { ...found, rows: renumbered };
}

function differ(name: string, found: object, expected: object): string | undefined {
  const [a, b] = [found, expected].map((value) =>
    Object.entries(value).map(([field, values]) => `${field} ${String(values)}`),
  );
  const at = b.findIndex((line, i) => line !== a[i]);
  return at < 0 ? undefined : `${name}: ${a[at]} instead of ${b[at]}`;
}

import type { Connection } from './indexeddb-connection.ts';
import type { Mode, Transaction, VectorHead } from './indexeddb-schema.ts';
import type { VectorBlock } from './snapshot.ts';
import type { VectorStore } from './types.ts';
import { requireVectors } from './vector-checks.ts';

/** Vectors in a chunk: 196 KB at 384 dimensions, what a put of one vector rewrites at most. */
const chunkRows = 128;

const stores = ['vectorHeads', 'vectorChunks'] as const;

type Entry = Parameters<VectorStore['put']>[1][number];

/** Where the vectors of one space are, as far as has been looked up. */
interface Directory {
  readonly places: Map<string, { readonly chunk: number; readonly row: number }>;
  /** The newest chunk that has been seen. */
  tail: number;
}

/**
 * Vectors in packed chunks, with the hashes of a chunk in one record beside it: no record per vector. Which hash is where is
 * kept in memory; chunks only grow, and no number is used again. What memory does not know is looked up from its
 * newest chunk on, for another tab may have added vectors; where that chunk is gone, the content was replaced by an
 * import, and memory starts afresh.
 */
export class IndexedDbVectors implements VectorStore {
  readonly #connection: Connection;
  readonly #directories = new Map<string, Directory>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get(space: string, hashes: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return this.#connection.run(stores, 'readonly', (transaction) => this.#read(transaction, space, hashes));
  }

  async put(space: string, entries: readonly Entry[]): Promise<void> {
    requireVectors(space, entries, undefined);
    if (entries.length === 0) return;
    await this.#connection.run(stores, 'readwrite', (transaction) =>
      this.#append(transaction, space, entries),
    );
  }

  async #read(transaction: Transaction<Mode>, space: string, hashes: readonly string[]) {
    const directory = await this.#directory(transaction, space);
    const places = hashes.map((hash) => directory?.places.get(hash));
    const numbers = [...new Set(places.flatMap((place) => place?.chunk ?? []))];
    const store = transaction.objectStore('vectorChunks');
    const chunks = new Map(
      await Promise.all(numbers.map(async (number) => [number, await store.get(number)] as const)),
    );
    return places.map((place) => {
      const chunk = place && chunks.get(place.chunk);
      if (!chunk) return undefined;
      return chunk.data.slice(place.row * chunk.dimensions, (place.row + 1) * chunk.dimensions);
    });
  }

  async #append(
    transaction: Transaction<'readwrite'>,
    space: string,
    entries: readonly Entry[],
  ): Promise<void> {
    const heads = transaction.objectStore('vectorHeads');
    const chunks = transaction.objectStore('vectorChunks');
    const directory = await this.#directory(transaction, space);
    const tail = directory && (await chunks.get(directory.tail));
    requireVectors(space, entries, tail?.dimensions);
    const fresh = [
      ...new Map(
        entries.filter(({ hash }) => !directory?.places.has(hash)).map((entry) => [entry.hash, entry]),
      ).values(),
    ];
    if (fresh.length === 0) return;

    let rest = fresh;
    const tailHead = directory && (await heads.get([space, directory.tail]));
    if (tail && tailHead && tailHead.hashes.length < chunkRows) {
      const fill = fresh.slice(0, chunkRows - tailHead.hashes.length);
      const block = blockOf(space, fill);
      const data = new Float32Array(tail.data.length + block.data.length);
      data.set(tail.data);
      data.set(block.data, tail.data.length);
      await chunks.put({ dimensions: tail.dimensions, data }, tailHead.chunk);
      await heads.put({ ...tailHead, hashes: [...tailHead.hashes, ...block.hashes] });
      rest = fresh.slice(fill.length);
    }
    if (rest.length > 0) await addVectorBlocks(transaction, [blockOf(space, rest)]);
  }

  /** What is known of the space, brought up to date within the transaction; undefined where it holds nothing. */
  async #directory(transaction: Transaction<Mode>, space: string): Promise<Directory | undefined> {
    const known = this.#directories.get(space);
    const newer = IDBKeyRange.bound([space, known?.tail ?? 0], [space, Infinity]);
    const heads = await transaction.objectStore('vectorHeads').getAll(newer);
    if (known && heads[0]?.chunk !== known.tail) {
      this.#directories.delete(space);
      return this.#directory(transaction, space);
    }
    if (heads.length === 0) return undefined;
    const directory = known ?? { places: new Map(), tail: 0 };
    for (const { chunk, hashes } of heads) {
      hashes.forEach((hash, row) => directory.places.set(hash, { chunk, row }));
      directory.tail = chunk;
    }
    this.#directories.set(space, directory);
    return directory;
  }
}

/** Adds blocks as chunks, within a transaction over both stores of vectors. */
export async function addVectorBlocks(
  transaction: Transaction<'readwrite'>,
  blocks: readonly VectorBlock[],
): Promise<void> {
  for (const { space, dimensions, hashes, data } of blocks) {
    for (let row = 0; row < hashes.length; row += chunkRows) {
      const part = hashes.slice(row, row + chunkRows);
      const rows = data.slice(row * dimensions, (row + part.length) * dimensions);
      const chunk = await transaction.objectStore('vectorChunks').add({ dimensions, data: rows });
      await transaction.objectStore('vectorHeads').add({ space, chunk, hashes: part });
    }
  }
}

/** All vectors, by space and age. */
export async function readVectorBlocks(transaction: Transaction<Mode>): Promise<VectorBlock[]> {
  const heads: VectorHead[] = await transaction.objectStore('vectorHeads').getAll();
  const store = transaction.objectStore('vectorChunks');
  const blocks = await Promise.all(
    heads.map(async ({ space, chunk, hashes }) => {
      const stored = await store.get(chunk);
      return stored ? { space, hashes, dimensions: stored.dimensions, data: stored.data } : undefined;
    }),
  );
  return blocks.filter((block) => block !== undefined);
}

function blockOf(space: string, entries: readonly Entry[]): VectorBlock {
  const dimensions = entries[0].vector.length;
  const data = new Float32Array(entries.length * dimensions);
  entries.forEach(({ vector }, row) => data.set(vector, row * dimensions));
  return { space, dimensions, hashes: entries.map(({ hash }) => hash), data };
}

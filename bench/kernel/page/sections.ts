import { clusters, type Collection } from './data.ts';
import { build, fill, k, recall, type Build, type Flavour, type Format } from './kernels.ts';
import { interleave, type Contender, type Timing } from './measure.ts';
import { good, naive } from './plain.ts';

/** One table of a report: contenders over the same rows and queries, in one interleaved run. */
export interface Section {
  readonly keys: number;
  readonly dimensions: number;
  readonly queries: number;
  readonly timings: readonly Timing[];
  /** Recall@30 against exact float32, by contender. */
  readonly recall: Readonly<Record<string, number>>;
}

const collections = new Map<string, Collection>();
const builds = new Map<string, Build>();

export function collectionOf(keys: number, dimensions: number): Collection {
  const name = `${keys}×${dimensions}`;
  let collection = collections.get(name);
  if (!collection) {
    collection = clusters(keys, dimensions);
    collections.clear();
    builds.clear();
    collections.set(name, collection);
  }
  return collection;
}

async function buildOf(flavour: Flavour, format: Format, collection: Collection): Promise<Build> {
  const name = `${flavour} ${format}`;
  let made = builds.get(name);
  if (!made) {
    made = await build(flavour, format, collection.dimensions);
    fill(made.kernel, collection.vectors);
    builds.set(name, made);
  }
  return made;
}

const all = [
  ['base', 'f32'],
  ['relaxed', 'f32'],
  ['base', 'int8'],
  ['relaxed', 'int8'],
] as const;

/**
 * The kernels, and where `plain` two ways of plain JavaScript, on the first `queries` queries at once, or for one query on a different
 * one each time. One query is set beside a plain read of the same bytes.
 */
export async function search(
  keys: number,
  dimensions: number,
  queries: number,
  rounds: number,
  plain: boolean,
): Promise<Section> {
  const collection = collectionOf(keys, dimensions);
  const at = (q: number) => collection.queries.subarray(q * dimensions, (q + 1) * dimensions);
  const block = collection.queries.subarray(0, queries * dimensions);
  const made: Build[] = [];
  for (const [flavour, format] of all) made.push(await buildOf(flavour, format, collection));
  const exact = made[0].kernel.topK(collection.queries, k);
  const contenders: Contender[] = made.map(({ name, kernel }) => ({
    name,
    run: (round) => kernel.topK(queries === 1 ? at(round % 128) : block, k),
  }));
  if (queries === 1) {
    for (const [name, { machine }, bytes] of [
      ['read f32', made[1], 4],
      ['read int8', made[3], 1],
    ] as const) {
      contenders.push({ name, run: () => machine.exports.read(65_536, keys * dimensions * bytes) });
    }
  }
  if (plain) {
    for (const [name, by] of [
      ['naive JS', naive],
      ['good JS', good],
    ] as const) {
      contenders.push({
        name,
        run: (round) => {
          for (let q = 0; q < queries; q++) {
            by(collection.vectors, dimensions, at(queries === 1 ? round % 128 : q), k);
          }
        },
        rounds: queries === 1 ? rounds : 3,
      });
    }
  }
  return {
    keys,
    dimensions,
    queries,
    timings: await interleave(contenders, rounds),
    recall: Object.fromEntries(
      made.map(({ name, kernel }) => [name, recall(kernel.topK(collection.queries, k), exact)]),
    ),
  };
}

/** The other operations beside a search on the same rows, four keys a document. */
export async function operations(keys: number, dimensions: number, rounds: number): Promise<Section> {
  const collection = collectionOf(keys, dimensions);
  const { kernel } = await build('relaxed', 'int8', dimensions);
  const { kernel: vectors } = await build('relaxed', 'f32', dimensions);
  const labels = {
    documents: Uint32Array.from({ length: keys }, (_, row) => Math.floor(row / 4)),
    originals: Uint8Array.from({ length: keys }, (_, row) => (row % 4 === 0 ? 1 : 0)),
  };
  for (const each of [kernel, vectors]) each.add(collection.vectors, labels);
  const { queries } = collection;
  const own = kernel.topK(queries, 10).rows.filter((_, i) => i % 10 === 9);
  const listed = Uint32Array.from({ length: keys }, (_, row) => row);
  const one = queries.subarray(0, dimensions);
  const tenth = Uint32Array.from({ length: Math.ceil(keys / 32) }, (_, word) => (word % 10 ? 0 : 0xffffffff));
  const timings = await interleave(
    [
      { name: 'top 30 of 128, int8', run: () => kernel.topK(queries, k) },
      { name: 'rank counts of 128, int8', run: () => kernel.rankCounts(queries, own) },
      { name: 'documents of 128, int8', run: () => kernel.topDocuments(queries, k, 0.5) },
      { name: 'top 30 of 128, f32', run: () => vectors.topK(queries, k) },
      { name: 'rank counts of 128, f32', run: () => vectors.rankCounts(queries, own) },
      { name: 'documents of 128, f32', run: () => vectors.topDocuments(queries, k, 0.5) },
      { name: 'maximum of 128 over all', run: () => vectors.maximum(queries, listed) },
      { name: 'top 30 of 1, int8', run: () => kernel.topK(one, k) },
      { name: 'documents of 1, int8', run: () => kernel.topDocuments(one, k, 0.5) },
      { name: 'top 30 of 1, int8, a tenth admissible', run: () => kernel.topK(one, k, tenth) },
    ],
    rounds,
  );
  return { keys, dimensions, queries: 128, timings, recall: {} };
}

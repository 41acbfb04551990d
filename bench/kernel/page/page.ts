import { clusters, type Collection } from './data.ts';
import { build, choice, fill, k, recall, type Build } from './kernels.ts';
import { interleave, type Contender, type Timing } from './measure.ts';
import { good, naive } from './plain.ts';

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

function collectionOf(keys: number, dimensions: number): Collection {
  const name = `${keys}×${dimensions}`;
  let collection = collections.get(name);
  if (!collection) {
    collection = clusters(keys, dimensions);
    collections.clear();
    collections.set(name, collection);
  }
  return collection;
}

async function buildOf(flavour: 'base' | 'relaxed', format: 'f32' | 'int8', collection: Collection) {
  const name = `${flavour} ${format} ${collection.count}×${collection.dimensions}`;
  let made = builds.get(name);
  if (!made) {
    made = await build(flavour, format, collection.dimensions);
    fill(made.kernel, collection.vectors);
    builds.set(name, made);
  }
  return made;
}

const variants = [
  ['base', 'f32'],
  ['relaxed', 'f32'],
  ['base', 'int8'],
  ['relaxed', 'int8'],
] as const;

/** One query at a time against flat rows, beside a plain read of the same bytes and plain JavaScript. */
async function single(
  keys: number,
  dimensions: number,
  rounds: number,
  withPlain: boolean,
): Promise<Section> {
  const collection = collectionOf(keys, dimensions);
  const queryAt = (round: number) => {
    const q = round % 128;
    return collection.queries.subarray(q * dimensions, (q + 1) * dimensions);
  };
  const made = await Promise.all(variants.map(([flavour, format]) => buildOf(flavour, format, collection)));
  const exact = made[0].kernel.topK(collection.queries, k);
  const contenders: Contender[] = made.map(({ name, kernel }) => ({
    name,
    run: (round) => kernel.topK(queryAt(round), k),
  }));
  for (const [name, { machine }, bytes] of [
    ['read f32', made[1], 4],
    ['read int8', made[3], 1],
  ] as const) {
    contenders.push({ name, run: () => machine.exports.read(65536, keys * dimensions * bytes) });
  }
  if (withPlain) {
    contenders.push(
      { name: 'naive JS', run: (round) => naive(collection.vectors, dimensions, queryAt(round), k) },
      { name: 'good JS', run: (round) => good(collection.vectors, dimensions, queryAt(round), k) },
    );
  }
  return {
    keys,
    dimensions,
    queries: 1,
    timings: await interleave(contenders, rounds),
    recall: Object.fromEntries(
      made.map(({ name, kernel }) => [name, recall(kernel.topK(collection.queries, k), exact)]),
    ),
  };
}

async function batch(
  keys: number,
  dimensions: number,
  queries: number,
  rounds: number,
  withPlain: boolean,
): Promise<Section> {
  const collection = collectionOf(keys, dimensions);
  const block = collection.queries.subarray(0, queries * dimensions);
  const made = await Promise.all(variants.map(([flavour, format]) => buildOf(flavour, format, collection)));
  const exact = made[0].kernel.topK(block, k);
  const contenders: Contender[] = made.map(({ name, kernel }) => ({
    name,
    run: () => kernel.topK(block, k),
  }));
  if (withPlain) {
    const each = (search: typeof naive) => () => {
      for (let q = 0; q < queries; q++) {
        search(collection.vectors, dimensions, block.subarray(q * dimensions, (q + 1) * dimensions), k);
      }
    };
    contenders.push(
      { name: 'naive JS', run: each(naive), rounds: 3 },
      { name: 'good JS', run: each(good), rounds: 5 },
    );
  }
  return {
    keys,
    dimensions,
    queries,
    timings: await interleave(contenders, rounds),
    recall: Object.fromEntries(made.map(({ name, kernel }) => [name, recall(kernel.topK(block, k), exact)])),
  };
}

/** Rank counts, maxima and aggregates of documents, on the same rows. */
async function operations(keys: number, dimensions: number, rounds: number): Promise<Section> {
  const collection = collectionOf(keys, dimensions);
  const { kernel } = await build('relaxed', 'int8', dimensions);
  const { kernel: vectors } = await build('relaxed', 'f32', dimensions);
  const labels = {
    documents: Uint32Array.from({ length: keys }, (_, row) => Math.floor(row / 4)),
    originals: Uint8Array.from({ length: keys }, (_, row) => (row % 4 === 0 ? 1 : 0)),
  };
  kernel.add(collection.vectors, labels);
  vectors.add(collection.vectors, labels);
  const { queries } = collection;
  const own = kernel.topK(queries, 10).rows.filter((_, i) => i % 10 === 9);
  const listed = Uint32Array.from({ length: keys }, (_, row) => row);
  const one = queries.subarray(0, dimensions);
  const tenth = Uint32Array.from({ length: Math.ceil(keys / 32) }, (_, word) =>
    word % 10 === 0 ? 0xffffffff : 0,
  );
  const contenders: Contender[] = [
    { name: 'top 30 of 128, int8', run: () => kernel.topK(queries, k) },
    { name: 'rank counts of 128, int8', run: () => kernel.rankCounts(queries, own) },
    { name: 'documents of 128, int8', run: () => kernel.topDocuments(queries, k, 0.5) },
    { name: 'top 30 of 128, f32', run: () => vectors.topK(queries, k) },
    { name: 'rank counts of 128, f32', run: () => vectors.rankCounts(queries, own) },
    { name: 'maximum of 128', run: () => vectors.maximum(queries, listed) },
    { name: 'top 30 of 1, int8', run: () => kernel.topK(one, k) },
    { name: 'documents of 1, int8', run: () => kernel.topDocuments(one, k, 0.5) },
    { name: 'top 30 of 1, int8, a tenth admissible', run: () => kernel.topK(one, k, tenth) },
  ];
  return { keys, dimensions, queries: 128, timings: await interleave(contenders, rounds), recall: {} };
}

function forget(): void {
  builds.clear();
}

const api = { single, batch, operations, forget, choice };
export type BenchPage = typeof api;

declare global {
  interface Window {
    bench?: BenchPage;
  }
}

window.bench = api;

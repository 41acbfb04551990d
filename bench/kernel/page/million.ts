import { createCompactKernel } from '../../../src/kernel/create.ts';
import type { TopK } from '../../../src/kernel/types.ts';
import { Clusters } from './data.ts';
import { build, buildThreaded, k, recall, type Build } from './kernels.ts';
import { interleave, type Contender } from './measure.ts';
import type { Section } from './sections.ts';

interface Filled {
  readonly dimensions: number;
  add(vectors: Float32Array): number;
}

/** Fills kernels with the same rows, piece by piece; returns queries. */
function fillAll(count: number, dimensions: number, kernels: readonly Filled[]): Float32Array {
  const source = new Clusters(count, dimensions);
  let first: Float32Array | undefined;
  for (const piece of source.pieces()) {
    first ??= piece;
    for (const kernel of kernels) kernel.add(piece);
  }
  return source.queriesNear(first ?? new Float32Array(0));
}

let millions:
  { readonly name: string; readonly made: readonly Build[]; readonly queries: Float32Array } | undefined;

async function filledBuilds(keys: number, dimensions: number) {
  const name = `${keys}×${dimensions}`;
  if (millions?.name === name) return millions;
  const made = [await build('relaxed', 'f32', dimensions), await build('relaxed', 'int8', dimensions)];
  const kernels = made.map(({ kernel }) => kernel);
  millions = { name, made, queries: fillAll(keys, dimensions, kernels) };
  return millions;
}

/** Vectors and codes; one query is set beside a plain read of the same bytes. */
export async function large(
  keys: number,
  dimensions: number,
  queries: number,
  rounds: number,
): Promise<Section> {
  const { made, queries: all } = await filledBuilds(keys, dimensions);
  const first = (round: number) => (queries === 1 ? round % 128 : 0) * dimensions;
  const at = (round: number) => all.subarray(first(round), first(round) + queries * dimensions);
  const contenders: Contender[] = made.map(({ name, kernel }) => ({
    name,
    run: (round) => kernel.topK(at(round), k),
  }));
  if (queries === 1) {
    contenders.push(
      { name: 'read f32', run: () => made[0].machine.exports.read(65_536, keys * dimensions * 4) },
      { name: 'read int8', run: () => made[1].machine.exports.read(65_536, keys * dimensions) },
    );
  }
  const timings = await interleave(contenders, rounds);
  const some = all.subarray(0, 16 * dimensions);
  const exact = made[0].kernel.topK(some, k);
  return {
    keys,
    dimensions,
    queries,
    timings,
    recall: Object.fromEntries(made.map(({ name, kernel }) => [name, recall(kernel.topK(some, k), exact)])),
  };
}

/** One thread beside two, for one query and for a batch. */
export async function threads(keys: number, dimensions: number, rounds: number): Promise<Section> {
  const alone = await build('relaxed', 'int8', dimensions);
  const together = await buildThreaded('relaxed', 'int8', dimensions, 1);
  const queries = fillAll(keys, dimensions, [alone.kernel, together.kernel]);
  const end = performance.now() + 10_000;
  while (together.kernel.helpers === 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const at = (round: number) =>
    queries.subarray((round % 128) * dimensions, ((round % 128) + 1) * dimensions);
  const batch = queries.subarray(0, 16 * dimensions);
  const timings = await interleave(
    [alone, together].flatMap(({ name, kernel }) => [
      { name: `${name}, one query`, run: (round: number) => kernel.topK(at(round), k) },
      { name: `${name}, 16 queries`, run: () => kernel.topK(batch, k) },
    ]),
    rounds,
  );
  const exact = alone.kernel.topK(batch, k);
  return {
    keys,
    dimensions,
    queries: 1,
    timings,
    recall: { [together.name]: recall(together.kernel.topK(batch, k), exact) },
  };
}

export interface CompactReport extends Section {
  /** WebAssembly memory of each kernel, in MiB. */
  readonly mebibytes: Readonly<Record<string, number>>;
  /** Share of queries whose answer was proven complete. */
  readonly proven: Readonly<Record<string, number>>;
}

/** Codes alone in WebAssembly memory, vectors read back from elsewhere in the tab. */
export async function compact(keys: number, dimensions: number, rounds: number): Promise<CompactReport> {
  const pieces: Float32Array[] = [];
  const source = {
    read: async (rows: Uint32Array) => {
      const found = new Float32Array(rows.length * dimensions);
      rows.forEach((row, i) => {
        const start = (row % 8192) * dimensions;
        found.set(pieces[Math.floor(row / 8192)].subarray(start, start + dimensions), i * dimensions);
      });
      return found;
    },
  };
  const kernels = {
    'compact int8': await createCompactKernel(dimensions, { format: 'int8', source }),
    'compact int4': await createCompactKernel(dimensions, { format: 'int4', source }),
  };
  const keep = { dimensions, add: (vectors: Float32Array) => pieces.push(vectors) };
  const queries = fillAll(keys, dimensions, [...Object.values(kernels), keep]);
  const at = (round: number) =>
    queries.subarray((round % 128) * dimensions, ((round % 128) + 1) * dimensions);
  const contenders = Object.entries(kernels).map(([name, kernel]) => ({
    name,
    run: (round: number) => kernel.topK(at(round), k),
  }));
  const timings = await interleave(contenders, rounds);
  const some = queries.subarray(0, 16 * dimensions);
  const exact = exactFrom(pieces, dimensions, some);
  const report = {
    mebibytes: {} as Record<string, number>,
    proven: {} as Record<string, number>,
    recall: {} as Record<string, number>,
  };
  for (const [name, kernel] of Object.entries(kernels)) {
    const found = await kernel.topK(some, k);
    report.recall[name] = recall(found, exact);
    report.proven[name] = found.proven.reduce((sum, sure) => sum + sure, 0) / found.proven.length;
    report.mebibytes[name] = kernel.bytes / 2 ** 20;
  }
  return { keys, dimensions, queries: 1, timings, ...report };
}

/** The exact best of each query, by plain arithmetic. */
function exactFrom(pieces: readonly Float32Array[], dimensions: number, queries: Float32Array): TopK {
  const count = queries.length / dimensions;
  const best = Array.from({ length: count }, (): { row: number; score: number }[] => []);
  for (const [index, piece] of pieces.entries()) {
    for (let i = 0; i < piece.length / dimensions; i++) {
      for (let q = 0; q < count; q++) {
        let score = 0;
        for (let j = 0; j < dimensions; j++) score += piece[i * dimensions + j] * queries[q * dimensions + j];
        const list = best[q];
        if (list.length === k && score <= list[k - 1].score) continue;
        let place = list.length;
        while (place > 0 && list[place - 1].score < score) place--;
        list.splice(place, 0, { row: index * 8192 + i, score });
        if (list.length > k) list.pop();
      }
    }
  }
  return {
    k,
    counts: Uint32Array.from(best, (list) => list.length),
    rows: Uint32Array.from(best.flatMap((list) => list.map(({ row }) => row))),
    scores: Float32Array.from(best.flatMap((list) => list.map(({ score }) => score))),
  };
}

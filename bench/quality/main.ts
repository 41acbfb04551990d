import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareIds } from '../../src/base/order.ts';
import { createCompactKernel, createKernel } from '../../src/kernel/create.ts';
import type { RowSource } from '../../src/kernel/types.ts';
import { originalText } from '../../src/keys/key-id.ts';
import { findCollection } from '../../src/lab/cli/collection-folder.ts';
import { readCollection, type Collection } from '../../src/lab/collection.ts';
import { judgedQueries, measureRun } from '../../src/lab/measures.ts';
import { readSpaces, vectorsOf, type CachedSpace } from './cached-vectors.ts';
import { exactBest } from './exact.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const depth = 10;
const allowed = 1e-4;

/** Rows of a collection's documents in order of id, and vectors of the queries that count. */
interface Embedded {
  readonly ids: readonly string[];
  readonly queryIds: readonly string[];
  readonly dimensions: number;
  readonly rows: Float32Array;
  readonly queries: Float32Array;
}

type Rankings = readonly (readonly number[])[];

/**
 * `npm run bench -- quality [collection …]`: nDCG@10 of dense retrieval over original texts by exact scores, computed in plain
 * arithmetic, and by the kernel's codes with rescoring, from vectors that the lab has kept (`npm run lab -- evaluate … --retriever
 * dense`). Default: every collection of ../shared/data. `--vectors FOLDER`: another cache. Exit code 1 where they differ by more
 * than 0.0001.
 */
export async function run(options: readonly string[]): Promise<number> {
  const at = options.indexOf('--vectors');
  const cache = at < 0 ? path('../../.cache/lab/vectors') : options[at + 1];
  const data = path('../../../shared/data');
  const named = at < 0 ? options : options.toSpliced(at, 2);
  const names = named.length > 0 ? named : existsSync(data) ? readdirSync(data).sort() : [];
  const spaces = readSpaces(cache);
  const results: Record<string, Record<string, number>> = {};
  for (const name of names.filter((each) => existsSync(`${data}/${each}/corpus.jsonl.gz`))) {
    const files = findCollection(`${data}/${name}`);
    const [corpus, queries, qrels] = [files.corpus, files.queries, files.qrels].map((file) =>
      readFileSync(file),
    );
    const collection = await readCollection({ corpus, queries, qrels });
    for (const [space, vectors] of spaces) {
      const embedded = embed(collection, vectors);
      if (!embedded) continue;
      results[`${name} ${space.slice(0, 6)}`] = await compare(collection, embedded);
      console.log(name, results[`${name} ${space.slice(0, 6)}`]);
    }
    if (!Object.keys(results).some((key) => key.startsWith(`${name} `)))
      console.log(`${name}: no space of the cache has all its vectors.`);
  }
  console.table(results);
  mkdirSync(path('../results'), { recursive: true });
  writeFileSync(path('../results/quality.json'), `${JSON.stringify(results, null, 1)}\n`);
  return Object.values(results).some(({ difference }) => difference > allowed) ? 1 : 0;
}

function embed(collection: Collection, space: CachedSpace): Embedded | undefined {
  const documents = [...collection.documents].sort((a, b) => compareIds(a.id, b.id));
  const judged = new Set(judgedQueries(collection.qrels));
  const asked = collection.queries.filter(({ id }) => judged.has(id));
  const rows = vectorsOf(documents.map(originalText), space);
  const queries = vectorsOf(
    asked.map(({ text }) => text),
    space,
  );
  if (!rows || !queries || documents.length === 0) return undefined;
  return {
    ids: documents.map(({ id }) => id),
    queryIds: asked.map(({ id }) => id),
    dimensions: rows.length / documents.length,
    rows,
    queries,
  };
}

async function compare(collection: Collection, embedded: Embedded): Promise<Record<string, number>> {
  const { ids, queryIds, dimensions, rows, queries } = embedded;
  const source: RowSource = {
    read: async (wanted) => {
      const found = new Float32Array(wanted.length * dimensions);
      wanted.forEach((row, i) =>
        found.set(rows.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions),
      );
      return found;
    },
  };
  const kernel = await createKernel(dimensions, { format: 'int8' });
  const compact = await createCompactKernel(dimensions, { format: 'int8', source });
  for (const each of [kernel, compact]) each.add(rows);
  const found: Record<string, Rankings> = {
    exact: exactBest(rows, queries, dimensions, depth),
    int8: listsOf(kernel.topK(queries, depth)),
    compact: listsOf(await compact.topK(queries, depth)),
  };
  const ndcg = (rankings: Rankings) => {
    const run = new Map(queryIds.map((id, q) => [id, rankings[q].map((row) => ids[row])]));
    return measureRun(run, collection.qrels).mean['nDCG@10'];
  };
  const [exact, int8, codesAlone] = [found.exact, found.int8, found.compact].map(ndcg);
  const same = found.exact.filter((list, q) => String(list) === String(found.int8[q])).length;
  kernel.dispose();
  compact.dispose();
  return {
    documents: ids.length,
    queries: queryIds.length,
    dimensions,
    'nDCG@10 exact': exact,
    'nDCG@10 int8, rescored': int8,
    'nDCG@10 codes alone, rescored': codesAlone,
    difference: Math.max(Math.abs(int8 - exact), Math.abs(codesAlone - exact)),
    'identical lists': same,
  };
}

function listsOf(top: {
  readonly k: number;
  readonly counts: Uint32Array;
  readonly rows: Uint32Array;
}): Rankings {
  return Array.from(top.counts, (count, q) => Array.from(top.rows.subarray(q * top.k, q * top.k + count)));
}

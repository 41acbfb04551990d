import { createRandom } from '../../../src/base/random.ts';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import { Bm25Index } from '../../../src/retrieve/bm25/bm25-index.ts';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import { Bm25Search } from '../../../src/retrieve/bm25/search.ts';
import { serialise } from '../../../src/retrieve/bm25/serialise.ts';
import type { LexicalIndex } from './lexical-peers.js';

export interface LexicalReport {
  readonly passages: number;
  readonly engines: readonly LexicalEngine[];
  readonly expansion?: ExpansionCost;
}

/** Milliseconds for the expansion keys of all passages. */
export interface ExpansionCost {
  readonly whole: number;
  /** With the memory of the passages before: after one came, after one went, after a hundred came and a hundred went. */
  readonly after: readonly {
    readonly came: number;
    readonly went: number;
    readonly time: number;
    readonly searched: number;
  }[];
}

export interface LexicalEngine {
  readonly name: string;
  /** Milliseconds: the median of repeats after the first, and the first, when nothing is compiled or remembered. */
  readonly build: number;
  readonly firstBuild: number;
  readonly median: number;
  readonly p95: number;
  readonly bytes: number;
  /** Share of queries whose source is among the first ten. */
  readonly found: number;
}

const queryCount = 300;
const limit = 10;

/** The first build warms up. */
const buildRounds = 4;

function keyOf(text: string, i: number): IndexKey {
  const id = String(i);
  return { id, documentId: id, kind: 'original', text, origin: { by: 'document', form: 'text' } };
}

async function ours(texts: readonly string[]): Promise<LexicalIndex> {
  const index = new Bm25Index(createAnalyser());
  texts.forEach((text, i) => index.add(keyOf(text, i)));
  index.refresh();
  const search = new Bm25Search(index);
  return {
    search: (query, most) =>
      search.topKeys(index.query(query), most).map(({ documentId }) => Number(documentId)),
    serialise: () => serialise(index).byteLength,
  };
}

/** BM25 of this project, and with `peers` those of others, on the same passages and queries in turn. */
export async function lexical(address: string, passages: number, peers: boolean): Promise<LexicalReport> {
  const texts = ((await (await fetch(address)).json()) as string[]).slice(0, passages);
  const queries = queriesFrom(texts);
  const made: { name: string; builds: number[]; index: LexicalIndex; times: number[]; hits: number }[] = [];
  const others = peers ? (await import('./lexical-peers.js')).lexicalPeers : {};
  const makers: Record<string, (texts: readonly string[]) => Promise<LexicalIndex>> = {
    'Self-Index BM25': ours,
    ...others,
  };
  for (const [name, make] of Object.entries(makers)) {
    const start = performance.now();
    const index = await make(texts);
    made.push({ name, builds: [performance.now() - start], index, times: [], hits: 0 });
  }
  for (let round = 1; round < buildRounds; round++) {
    for (const { name, builds } of made) {
      const start = performance.now();
      await makers[name](texts);
      builds.push(performance.now() - start);
    }
  }
  // In turn by rounds of all queries: query by query, every engine would search with the caches that the slowest left behind.
  for (let round = -1; round < 3; round++) {
    for (const engine of made) {
      for (const { text, source } of queries) {
        const start = performance.now();
        const found = await engine.index.search(text, limit);
        const time = performance.now() - start;
        if (round >= 0) engine.times.push(time);
        if (round === 0 && found.includes(source)) engine.hits++;
      }
    }
  }
  const engines: LexicalEngine[] = [];
  for (const { name, builds, index, times, hits } of made) {
    times.sort((a, b) => a - b);
    const [firstBuild, ...repeats] = builds;
    repeats.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)];
    engines.push({
      name,
      build: repeats[repeats.length >> 1] ?? firstBuild,
      firstBuild,
      median: at(0.5),
      p95: at(0.95),
      bytes: await index.serialise(),
      found: hits / queries.length,
    });
  }
  return { passages: texts.length, engines, ...(peers && { expansion: await expansionCost(texts) }) };
}

async function expansionCost(texts: readonly string[]): Promise<ExpansionCost> {
  const keys = texts.map(keyOf);
  const retriever = await Bm25Retriever.create(keys, { analyser: createAnalyser() });
  const start = performance.now();
  const { memory } = await retriever.expansion();
  const whole = performance.now() - start;
  const after: ExpansionCost['after'][number][] = [];
  for (const [came, went] of [
    [1, 0],
    [0, 1],
    [100, 100],
  ]) {
    const added = Array.from({ length: came }, (_, i) =>
      keyOf(texts[(i * 71) % texts.length], texts.length + i),
    );
    const removed = keys.slice(0, went);
    await retriever.update({ added, removed });
    const begin = performance.now();
    const { searched } = await retriever.expansion(memory);
    after.push({ came, went, time: performance.now() - begin, searched });
    await retriever.update({ added: removed, removed: added });
  }
  return { whole, after };
}

/** Five words of a passage, in random order: what someone remembers of it. */
function queriesFrom(texts: readonly string[]): { text: string; source: number }[] {
  const random = createRandom('lexical queries');
  return Array.from({ length: queryCount }, () => {
    const source = random.integer(texts.length);
    const words = texts[source].split(/\W+/).filter((word) => word.length > 3);
    return { text: random.shuffle(words).slice(0, 5).join(' '), source };
  });
}

import { createRandom } from '../../../src/base/random.ts';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import { Bm25Index } from '../../../src/retrieve/bm25/bm25-index.ts';
import { Bm25Search } from '../../../src/retrieve/bm25/search.ts';
import { serialise } from '../../../src/retrieve/bm25/serialise.ts';
import type { LexicalIndex } from './lexical-peers.js';

export interface LexicalReport {
  readonly passages: number;
  readonly engines: readonly LexicalEngine[];
}

export interface LexicalEngine {
  readonly name: string;
  /** Milliseconds. */
  readonly build: number;
  readonly median: number;
  readonly p95: number;
  readonly bytes: number;
  /** Share of queries whose source is among the first ten. */
  readonly found: number;
}

const queryCount = 300;
const limit = 10;

async function ours(texts: readonly string[]): Promise<LexicalIndex> {
  const index = new Bm25Index(createAnalyser());
  texts.forEach((text, i) => {
    const id = String(i);
    const key: IndexKey = {
      id,
      documentId: id,
      kind: 'original',
      text,
      origin: { by: 'document', form: 'text' },
    };
    index.add(key);
  });
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
  const made: { name: string; build: number; index: LexicalIndex; times: number[]; hits: number }[] = [];
  const others = peers ? (await import('./lexical-peers.js')).lexicalPeers : {};
  const makers = { 'Self-Index BM25': ours, ...others };
  for (const [name, make] of Object.entries(makers)) {
    const start = performance.now();
    const index = await make(texts);
    made.push({ name, build: performance.now() - start, index, times: [], hits: 0 });
  }
  for (let round = -1; round < 3; round++) {
    for (const { text, source } of queries) {
      for (const engine of made) {
        const start = performance.now();
        const found = await engine.index.search(text, limit);
        const time = performance.now() - start;
        if (round >= 0) engine.times.push(time);
        if (round === 0 && found.includes(source)) engine.hits++;
      }
    }
  }
  const engines: LexicalEngine[] = [];
  for (const { name, build, index, times, hits } of made) {
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)];
    engines.push({
      name,
      build,
      median: at(0.5),
      p95: at(0.95),
      bytes: await index.serialise(),
      found: hits / queries.length,
    });
  }
  return { passages: texts.length, engines };
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

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { sha256Hex } from '../../src/base/hash.ts';
import type { Document } from '../../src/corpus/types.ts';
import { openBenchPage } from '../open-page.ts';
import type { EvolveBench, EvolveTimes } from './page/page.ts';

const collection = 'scifact';
const queries = 128;

/**
 * `npm run bench -- evolve`: what share of an evolution's time goes into scoring vectors, with the plain kernel and with the fast
 * one: one iteration over a real collection, dense retrieval, extractive roles, and in place of a model a stand-in embedder.
 */
export async function run(): Promise<number> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const corpus = fileURLToPath(
    new URL(`../../../shared/data/${collection}/corpus.jsonl.gz`, import.meta.url),
  );
  if (!existsSync(corpus)) {
    console.error(`The evaluation collections (../shared/data) are absent.`);
    return 2;
  }
  const documents = read(corpus);
  const page = await openBenchPage<EvolveBench>('evolve');
  try {
    const measured: Record<string, Omit<EvolveTimes, 'keys' | 'outcome'> & { keys: number; hash: string }> =
      {};
    for (const kernel of ['reference', 'fast'] as const) {
      const times = await page.call('run', documents, kernel, queries);
      await page.renew();
      const { outcome, ...rest } = times;
      measured[kernel] = { ...rest, keys: times.keys.length, hash: sha256Hex(outcome) };
      console.log(kernel, measured[kernel]);
    }
    console.table(
      Object.fromEntries(
        Object.entries(measured).map(([name, { evolving, kernel, embedding, keys, verdicts }]) => {
          const scoring = Object.values(kernel).reduce((sum, time) => sum + time, 0);
          const seconds = (time: number) => Number((time / 1000).toFixed(2));
          return [
            name,
            {
              'evolving s': seconds(evolving),
              'scoring s': seconds(scoring),
              'share of scoring': `${((100 * scoring) / evolving).toFixed(1)} %`,
              'embedding s': seconds(embedding),
              'generated keys': keys,
              verdicts,
            },
          ];
        }),
      ),
    );
    const same = measured.reference.hash === measured.fast.hash;
    console.log(
      same ? 'Both made the same keys and verdicts, every score to the last bit.' : 'THE OUTCOMES DIFFER.',
    );
    mkdirSync(`${root}bench/results`, { recursive: true });
    const result = {
      chromium: page.chromium,
      collection,
      documents: documents.length,
      queries,
      ...measured,
    };
    writeFileSync(`${root}bench/results/evolve.json`, `${JSON.stringify(result, null, 1)}\n`);
    return same ? 0 : 1;
  } finally {
    await page.close();
  }
}

interface Line {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

function read(path: string): Document[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  return lines.map((line) => {
    const { _id, title, text } = JSON.parse(line) as Line;
    return { id: _id, text, ...(title && { title }) };
  });
}

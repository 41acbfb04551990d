import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Document } from '../../src/corpus/types.ts';
import { openBenchPage } from '../open-page.ts';
import type { SearchBench } from './page/page.ts';

const passages = 10_000;
const collections = ['scifact', 'locomo'];
const quietMilliseconds = 10_000;

/**
 * `npm run bench -- search`: how long a search takes for 10,000 passages, with nothing else going on and while an evolution runs, in
 * real Chromium with the engine in its worker; and the page's tasks above 50 ms meanwhile.
 */
export async function run(options: readonly string[]): Promise<number> {
  const documents: Document[] = [];
  const queries: string[] = [];
  for (const name of collections) {
    for (const { _id, title, text } of read(name, 'corpus'))
      documents.push({ id: `${name}/${_id}`, title, text });
    for (const { text } of read(name, 'queries').slice(0, 100)) queries.push(text);
  }
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const page = await openBenchPage<SearchBench>('search');
  try {
    const indexing = await page.call('open', documents.slice(0, passages));
    const quiet = await page.call('quiet', queries, quietMilliseconds);
    const evolving = await page.call('evolving', queries, options.includes('--quick') ? 1 : 2);
    const result = { chromium: page.chromium, passages, indexing, quiet, evolving };
    writeFileSync(`${root}bench/search/result.json`, `${JSON.stringify(result, null, 2)}\n`);
    console.table({
      quiet: {
        median: quiet.median,
        p95: quiet.p95,
        worst: quiet.worst,
        'long tasks': quiet.longTasks.length,
      },
      evolving: {
        median: evolving.median,
        p95: evolving.p95,
        worst: evolving.worst,
        'long tasks': evolving.longTasks.length,
      },
    });
    console.log(`indexing ${(indexing / 1000).toFixed(1)} s; evolution ${evolving.seconds.toFixed(1)} s`);
    console.log('slowest searches while evolving:', evolving.slowest);
    return options.includes('--check') && evolving.p95 > 16 ? 1 : 0;
  } finally {
    await page.close();
  }
}

interface Line {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

function read(collection: string, file: 'corpus' | 'queries'): Line[] {
  const path = fileURLToPath(new URL(`../../../shared/data/${collection}/${file}.jsonl.gz`, import.meta.url));
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Line);
}

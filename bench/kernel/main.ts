import type { BenchPage } from './page/page.ts';
import { readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { compileKernel } from '../../.ci/kernel-wasm.js';
import { openBrowser, type Browser } from './browser.ts';
import { isBelowFloor, targets } from './floors.ts';
import type { PeerReport } from './page/against.ts';
import type { LexicalReport } from './page/lexical.ts';
import type { Section } from './page/sections.ts';
import { writePassages } from './passages.ts';
import { installPeers } from './peers.ts';
import type { Report } from './report.ts';
import { markdown, targetLines } from './table.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = path('../../docs/benchmarks.md');

/**
 * `npm run bench -- kernel`: everything, some twenty minutes on a quiet machine.
 * `--quick`: up to 10,000 keys, few repeats, no peers whose index takes long to build.
 * `--no-peers`: without packages of others. `--check`: exit code 1 where a floor is crossed.
 */
export async function run(options: readonly string[]): Promise<number> {
  const quick = options.includes('--quick');
  const peers = !options.includes('--no-peers') && installPeers();
  const browser = await openBrowser(peers);
  try {
    const report = await measure(browser, quick, peers);
    const lines = targets(report);
    console.log(targetLines(lines).join('\n'));
    if (!quick) {
      mkdirSync(path('../results'), { recursive: true });
      writeFileSync(path('../results/kernel.json'), `${JSON.stringify(report, null, 1)}\n`);
      const text = readFileSync(page, 'utf8');
      const [before, after] = [text.split('<!-- kernel -->')[0], text.split('<!-- /kernel -->')[1]];
      writeFileSync(page, `${before}<!-- kernel -->\n\n${markdown(report)}\n<!-- /kernel -->${after}`);
    }
    const below = lines.filter(isBelowFloor);
    for (const { name, value, floor } of below)
      console.log(`BELOW THE FLOOR: ${name}: ${value?.toFixed(3)}, floor ${floor}`);
    return options.includes('--check') && below.length > 0 ? 1 : 0;
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, quick: boolean, peers: boolean): Promise<Report> {
  const choice = await browser.call('choice');
  console.log(`Chromium ${browser.version}, build ${choice?.flavour}, batches by ${choice?.variant}`);
  const search = await growth(browser, quick);
  const operations = [await told(browser, 'operations', 10_000, 384, quick ? 5 : 9)];
  await browser.renew();
  let million: Pick<Report, 'large' | 'threads' | 'compact'> = {};
  if (!quick) {
    const large = await told(browser, 'large', 1_000_000, 384, 9);
    await browser.renew();
    const threads = await told(browser, 'threads', 1_000_000, 384, 9);
    await browser.renew();
    const compact = await told(browser, 'compact', 1_000_000, 384, 9);
    million = { large, threads, compact };
    await browser.renew();
  }
  const against = peers ? await againstPeers(browser, quick) : { peers: [], absent: {} };
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
    chromium: browser.version,
    choice,
    bytes: { base: await gzipBytes('base'), relaxed: await gzipBytes('relaxed') },
    search,
    operations,
    ...million,
    ...against,
    lexical: await againstLexical(browser, quick, peers),
  };
}

async function gzipBytes(flavour: 'base' | 'relaxed'): Promise<number> {
  return gzipSync(await compileKernel(flavour), { level: 9 }).length;
}

/** Cost as the work grows: keys, queries, dimensions. */
async function growth(browser: Browser, quick: boolean): Promise<Section[]> {
  const sections: Section[] = [];
  for (const keys of quick ? [1000, 10_000] : [1000, 10_000, 100_000]) {
    for (const dimensions of quick || keys === 1000 ? [384] : [128, 384, 768, 1024]) {
      for (const queries of dimensions === 384 ? [1, 8, 128] : [1, 128]) {
        const rounds = quick ? 5 : keys * queries > 5_000_000 ? 9 : 21;
        sections.push(
          await told(
            browser,
            'search',
            keys,
            dimensions,
            queries,
            rounds,
            keys === 10_000 && dimensions === 384,
          ),
        );
      }
      await browser.renew();
    }
  }
  return sections;
}

/** Calls a section of the page and prints it in a line. */
async function told<Name extends 'search' | 'operations' | 'large' | 'threads' | 'compact'>(
  browser: Browser,
  name: Name,
  ...values: Parameters<BenchPage[Name]>
): Promise<Awaited<ReturnType<BenchPage[Name]>>> {
  const section = await browser.call(name, ...values);
  const { keys, dimensions, queries, timings } = section;
  const figures = timings.map((timing) => `${timing.name} ${timing.median.toPrecision(3)}`).join(' · ');
  console.log(`${keys} × ${dimensions}, ${queries} queries: ${figures}`);
  return section;
}

async function againstPeers(browser: Browser, quick: boolean): Promise<Pick<Report, 'peers' | 'absent'>> {
  const { run: names, notRun } = await browser.call('peerNames');
  const reports: PeerReport[] = [];
  const absent: Record<string, string> = { ...notRun };
  for (const keys of quick ? [10_000] : [10_000, 100_000]) {
    for (const [peer, kind] of Object.entries(names)) {
      if (kind === 'hnsw' && (quick || keys > 10_000)) continue;
      await browser.renew();
      try {
        const report = await withLimit(browser.call('against', peer, keys, 384, 15), 600_000);
        reports.push(report);
        const { build, median, recall, ourMedian } = report;
        console.log(
          `${keys}: ${peer} ${median.toPrecision(3)} ms (recall ${recall.toFixed(3)}, build ${(build / 1000).toFixed(1)} s), kernel ${ourMedian.toPrecision(3)} ms: ${(median / ourMedian).toFixed(1)}×`,
        );
      } catch (error) {
        const reason = String(error).split('\n')[0].slice(0, 160);
        absent[`${peer}, ${keys} keys`] = reason;
        console.log(`${keys}: ${peer} did not run: ${reason}`);
      }
    }
  }
  return { peers: reports, absent };
}

async function withLimit<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function againstLexical(browser: Browser, quick: boolean, peers: boolean): Promise<LexicalReport[]> {
  const sizes = quick ? [10_000] : [1000, 10_000, 50_000, 200_000];
  const address = writePassages(Math.max(...sizes));
  if (address === undefined) {
    console.log('BM25 was not measured: the evaluation collections (../shared/data) are absent.');
    return [];
  }
  const reports: LexicalReport[] = [];
  for (const passages of sizes) {
    await browser.renew();
    const report = await browser.call('lexical', address, passages, peers && passages === 10_000);
    reports.push(report);
    for (const { name, build, median, p95, bytes, found } of report.engines) {
      console.log(
        `${report.passages} passages: ${name} build ${build.toFixed(0)} ms, query ${median.toFixed(3)} / ${p95.toFixed(3)} ms, ${(bytes / 1e6).toFixed(2)} MB, found ${found.toFixed(3)}`,
      );
    }
  }
  return reports;
}

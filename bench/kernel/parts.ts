import type { BenchPage } from './page/page.ts';
import type { Browser } from './browser.ts';
import { measureLexical } from './lexical.ts';
import type { PeerReport } from './page/against.ts';
import type { CompactReport } from './page/million.ts';
import type { Section } from './page/sections.ts';
import type { Report } from './report.ts';

/** Whether little is measured, and whether packages of others are there. */
export interface Extent {
  readonly quick: boolean;
  readonly peers: boolean;
}

/** What can be measured by itself; ratios are only ever taken within one of these. */
export const parts = {
  search: async (browser: Browser, { quick }: Extent): Promise<Partial<Report>> => ({
    search: await growth(browser, quick),
    operations: [await told(browser, 'operations', 10_000, 384, quick ? 5 : 9)],
  }),
  million: async (browser: Browser, { quick }: Extent): Promise<Partial<Report>> =>
    quick ? {} : millionKeys(browser),
  peers: async (browser: Browser, { quick, peers }: Extent): Promise<Partial<Report>> =>
    peers ? againstPeers(browser, quick) : {},
  lexical: async (browser: Browser, { quick, peers }: Extent): Promise<Partial<Report>> => ({
    lexical: await measureLexical(browser, quick, peers),
  }),
};
export type Part = keyof typeof parts;

async function millionKeys(browser: Browser): Promise<Partial<Report>> {
  const large: Section[] = [];
  for (const queries of [1, 8, 128])
    large.push(await told(browser, 'large', 1_000_000, 384, queries, queries === 1 ? 15 : 5));
  await browser.renew();
  const threads = await told(browser, 'threads', 1_000_000, 384, 15);
  const compact: CompactReport[] = [];
  for (const dimensions of [128, 384, 768, 1024]) {
    await browser.renew();
    compact.push(await told(browser, 'compact', 1_000_000, dimensions, 9));
  }
  return { large, threads, compact };
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

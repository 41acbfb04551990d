import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium, type Page } from 'playwright';
import { preview } from 'vite';
import { chromiumLaunch } from '../../.ci/chromium.js';
import { goals, markdown, phaseOf, type Phase, type Report } from './summary.ts';
import { engineTimes, installEngineWatch } from './watch-engine.ts';
import { installWatch, type Watched } from './watch.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const passages = 10_000;
const collections = ['scifact', 'locomo'];
/** Milliseconds between two keys: a quick typist. */
const pause = 90;
/** Words of a query that are typed. */
const typed = 6;
const quietQueries = 12;

interface Line {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

/**
 * `npm run bench -- app [--check] [--skip-build]`: the built app in real Chromium with 10,000 passages. Searches are typed key by
 * key, with nothing else going on and while an evolution runs; measured from outside of the app (watch.ts).
 */
export async function run(options: readonly string[]): Promise<number> {
  const load = loadavg();
  if (!options.includes('--skip-build') && spawnSync('npm', ['run', 'build'], { cwd: root }).status !== 0) {
    console.error('The build failed: npm run build says why.');
    return 1;
  }
  const lines = collections.flatMap((name) =>
    read(name, 'corpus').map((line) => ({ ...line, _id: `${name}/${line._id}` })),
  );
  const rows = lines
    .slice(0, passages)
    .map((line) => JSON.stringify(line))
    .join('\n');
  const queries = collections
    .flatMap((name) => read(name, 'queries').slice(0, 60))
    .map(({ text }) => text.split(/\s+/).slice(0, typed).join(' '));
  // As a file on the disk: given as bytes, they would be decoded in the page by whoever drives it.
  const folder = mkdtempSync(join(tmpdir(), 'self-index-bench-'));
  const file = join(folder, 'rows.jsonl');
  writeFileSync(file, rows);
  const server = await preview({
    root,
    configFile: `${root}vite.config.ts`,
    preview: { port: 0, strictPort: false },
  });
  const chrome = await chromium.launch(chromiumLaunch());
  try {
    const page = await chrome.newPage({ viewport: { width: 1280, height: 800 } });
    page.on('pageerror', (error) => console.error(`page: ${error.message}`));
    // tsx names functions by a helper that the page does not have.
    await page.addInitScript(`globalThis.__name = (named) => named; (${installWatch.toString()})();`);
    await page.goto(server.resolvedUrls?.local[0] ?? '');
    const importing = await bringIn(page, file);
    await engineOf(page).evaluate(
      `globalThis.__name = (named) => named; (${installEngineWatch.toString()})();`,
    );
    const phases: Phase[] = [await typePhase(page, 'quiet', queries.slice(0, quietQueries), () => true)];
    const evolution = await evolveWhileTyping(page, queries);
    phases.push(...evolution.phases);
    phases.push(await typePhase(page, 'quiet, evolved', queries.slice(0, quietQueries), () => true));
    const report: Report = {
      date: new Date().toISOString().slice(0, 10),
      chromium: chrome.version(),
      cores: cpus().length,
      load,
      passages,
      importing,
      evolutionSeconds: evolution.seconds,
      version:
        (await page
          .getByRole('banner')
          .getByText(/^version \d+$/)
          .textContent()) ?? '',
      phases,
    };
    writeFileSync(`${root}bench/app/result.json`, `${JSON.stringify(report, null, 2)}\n`);
    const text = markdown(report);
    console.log(text);
    const path = `${root}docs/benchmarks.md`;
    const between = /(<!-- app -->\n)[^]*(<!-- \/app -->)/;
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(
        between,
        (_, open: string, close: string) => `${open}\n${text}\n\n${close}`,
      ),
    );
    return options.includes('--check') && goals(report).some(({ held }) => !held) ? 1 : 0;
  } finally {
    await chrome.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

async function bringIn(page: Page, path: string): Promise<Report['importing']> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await take(page);
  const start = performance.now();
  await page.locator('input[multiple]:not([webkitdirectory])').setInputFiles(path);
  await page
    .getByText(/brought in as/)
    .first()
    .waitFor({ timeout: 120_000 });
  const seconds = (performance.now() - start) / 1000;
  return { seconds, longTasks: (await take(page)).longTasks.map(({ duration }) => duration) };
}

/** Types queries one after the other for as long as `goesOn`. */
async function typePhase(
  page: Page,
  name: string,
  queries: readonly string[],
  goesOn: () => boolean,
): Promise<Phase> {
  await page.keyboard.press('/');
  const box = page.getByRole('searchbox');
  await box.waitFor();
  await take(page);
  await takeSent(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? 0);
  };
  const before = await spent();
  const start = performance.now();
  for (let i = 0; i < queries.length && goesOn(); i++) {
    await box.press('Escape');
    for (const key of queries[i]) {
      if (!goesOn()) break;
      const next = performance.now() + pause;
      await page.keyboard.press(key === ' ' ? 'Space' : key);
      await page.waitForTimeout(Math.max(0, next - performance.now()));
    }
  }
  await page.waitForTimeout(300);
  const cpu = (await spent()) - before;
  await session.detach();
  const seconds = (performance.now() - start) / 1000;
  const watched = await take(page);
  return phaseOf(name, seconds, cpu, watched, engineTimes(watched.calls, await takeSent(page)));
}

async function evolveWhileTyping(
  page: Page,
  queries: readonly string[],
): Promise<{ readonly phases: Phase[]; readonly seconds: number }> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Evolve' }).click();
  await page.getByLabel('Iterations').selectOption('1');
  await page.getByRole('button', { name: 'Evolve', exact: true }).click();
  await page.getByRole('region', { name: 'Progress of the evolution' }).waitFor();
  const start = performance.now();
  let running = true;
  const ended = page
    .getByRole('banner')
    .getByText('evolving')
    .waitFor({ state: 'detached', timeout: 600_000 })
    .finally(() => (running = false));
  const phases: Phase[] = [];
  // The version's first seconds of searches, too: they are what someone who typed through the commit meets.
  phases.push(await typePhase(page, 'evolving, typing', repeated(queries), () => running));
  await ended;
  return { phases, seconds: (performance.now() - start) / 1000 };
}

const repeated = (queries: readonly string[]) => Array.from({ length: 40 }, () => queries).flat();

async function take(page: Page): Promise<Watched> {
  return page.evaluate(() => {
    if (!globalThis.watch) throw new Error('The page is not watched.');
    return globalThis.watch.take();
  });
}

const engineOf = (page: Page) => {
  const engine = page.workers().find((worker) => worker.url().includes('engine'));
  if (!engine) throw new Error('The page has no engine worker.');
  return engine;
};

async function takeSent(page: Page) {
  return engineOf(page).evaluate(() => globalThis.answersSent?.splice(0) ?? []);
}

function read(collection: string, file: 'corpus' | 'queries'): Line[] {
  const path = `${root}../shared/data/${collection}/${file}.jsonl.gz`;
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

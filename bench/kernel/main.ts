import { existsSync, readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { compileKernel } from '../../.ci/kernel-wasm.js';
import { openBrowser } from './browser.ts';
import { isBelowFloor, targets } from './floors.ts';
import { lexicalTables, lexicalTargets } from './lexical.ts';
import { parts, type Part } from './parts.ts';
import { installPeers } from './peers.ts';
import type { Circumstances, Report } from './report.ts';
import { circumstances, markdown, targetLines, targetTable } from './table.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const page = path('../../docs/benchmarks.md');
const results = path('../results');

const names = Object.keys(parts) as Part[];
const vectorParts = names.filter((name) => name !== 'lexical');

type PartReport = Circumstances & Partial<Report>;
type PartReports = Partial<Record<Part, PartReport>>;

/**
 * `npm run bench -- kernel`: everything, an hour on a quiet machine. Each part is written to bench/results as it is done, and
 * docs/benchmarks.md is made of all that are there.
 * `--only`: some parts, by name (search, million, peers, lexical; `vectors` for the first three), with commas between.
 * `--quick`: up to 10,000 keys, few repeats, no peers whose index takes long to build; writes nothing.
 * `--no-peers`: without packages of others. `--check`: exit code 1 where what was measured crosses a floor.
 */
export async function run(options: readonly string[]): Promise<number> {
  const wanted = wantedParts(options);
  if (wanted === undefined) {
    console.error(`--only takes some of: vectors, ${names.join(', ')}`);
    return 2;
  }
  const quick = options.includes('--quick');
  const peers = !options.includes('--no-peers') && installPeers();
  const measured = await measure(wanted, quick, peers);
  const lines = [
    ...targets(merge(measured, vectorParts)),
    ...lexicalTargets(merge(measured, ['lexical'])),
  ].filter(({ value }) => value !== undefined);
  console.log(targetLines(lines).join('\n'));
  const below = lines.filter(isBelowFloor);
  if (!quick) writeDocs();
  for (const { name, value, floor } of below)
    console.log(`BELOW THE FLOOR: ${name}: ${value?.toFixed(3)}, floor ${floor}`);
  return options.includes('--check') && below.length > 0 ? 1 : 0;
}

function wantedParts(options: readonly string[]): readonly Part[] | undefined {
  const at = options.indexOf('--only');
  if (at < 0) return names;
  const asked = (options[at + 1] ?? '')
    .split(',')
    .flatMap((name) => (name === 'vectors' ? vectorParts : names.filter((part) => part === name)));
  return asked.length > 0 ? asked : undefined;
}

async function measure(wanted: readonly Part[], quick: boolean, peers: boolean): Promise<PartReports> {
  const browser = await openBrowser(peers);
  try {
    const choice = await browser.call('choice');
    console.log(`Chromium ${browser.version}, build ${choice?.flavour}, batches by ${choice?.variant}`);
    const measured: PartReports = {};
    for (const name of wanted) {
      await browser.renew();
      const report: PartReport = {
        date: new Date().toISOString().slice(0, 10),
        machine: `${cpus().length} × ${cpus()[0].model.trim()}`,
        chromium: browser.version,
        choice,
        ...(name === 'lexical' ? {} : { bytes: await gzipBytes() }),
        ...(await parts[name](browser, { quick, peers })),
      };
      measured[name] = report;
      if (quick) continue;
      mkdirSync(results, { recursive: true });
      writeFileSync(`${results}/${name}.json`, `${JSON.stringify(report, null, 1)}\n`);
    }
    return measured;
  } finally {
    await browser.close();
  }
}

async function gzipBytes(): Promise<Report['bytes']> {
  const bytes = async (flavour: 'base' | 'relaxed') =>
    gzipSync(await compileKernel(flavour), { level: 9 }).length;
  return { base: await bytes('base'), relaxed: await bytes('relaxed') };
}

function merge(reports: PartReports, of: readonly Part[]): Partial<Report> {
  return Object.assign({}, ...of.map((name) => reports[name])) as Partial<Report>;
}

/** Puts tables of all that was ever measured between the marks of the page. */
function writeDocs(): void {
  const saved: PartReports = {};
  for (const name of names) {
    const file = `${results}/${name}.json`;
    if (existsSync(file)) saved[name] = JSON.parse(readFileSync(file, 'utf8')) as PartReport;
  }
  const vectors = merge(saved, vectorParts);
  const lexical = merge(saved, ['lexical']);
  const dated = (of: readonly Part[]) => circumstances(of.flatMap((name) => saved[name] ?? []));
  if (vectorParts.some((name) => saved[name]))
    replace('kernel', [dated(vectorParts), targetTable(targets(vectors)), ...markdown(vectors)]);
  if (saved.lexical)
    replace('bm25', [dated(['lexical']), targetTable(lexicalTargets(lexical)), ...lexicalTables(lexical)]);
}

function replace(mark: string, texts: readonly string[]): void {
  const [open, close] = [`<!-- ${mark} -->`, `<!-- /${mark} -->`];
  const text = readFileSync(page, 'utf8');
  const [before, after] = [text.split(open)[0], text.split(close)[1]];
  if (after === undefined) throw new Error(`docs/benchmarks.md has no ${open} … ${close}.`);
  writeFileSync(page, `${before}${open}\n\n${texts.join('\n\n')}\n\n${close}${after}`);
}

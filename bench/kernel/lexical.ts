import type { Browser } from './browser.ts';
import type { Target } from './floors.ts';
import type { ExpansionCost, LexicalReport } from './page/lexical.ts';
import { writePassages } from './passages.ts';
import type { Report } from './report.ts';
import { figure, table } from './table.ts';

/** BM25 of this project, and of others where they are there. */
export async function measureLexical(
  browser: Browser,
  quick: boolean,
  peers: boolean,
): Promise<LexicalReport[]> {
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

/** Goals and floors of BM25. */
export function lexicalTargets({ lexical = [] }: Partial<Report>): Target[] {
  const table = lexical.find(({ passages }) => passages === 10_000);
  const ours = table?.engines.find(({ name }) => name === 'Self-Index BM25');
  const theirs = table?.engines.find(({ name }) => name === 'FlexSearch');
  const of = (field: 'median' | 'build') => (ours && theirs ? theirs[field] / ours[field] : undefined);
  return [
    {
      name: 'BM25 query against FlexSearch, 10k texts',
      value: of('median'),
      goal: 4,
      floor: 2,
      sense: 'least',
    },
    {
      name: 'BM25 build against FlexSearch, 10k texts',
      value: of('build'),
      goal: 1.5,
      floor: 1,
      sense: 'least',
    },
    {
      name: 'seconds for the expansion keys of 10k texts, one thread',
      value: table?.expansion && table.expansion.whole / 1000,
      goal: 5,
      floor: 5,
      sense: 'most',
    },
    {
      name: 'BM25 bytes as a share of FlexSearch, 10k texts',
      value: ours && theirs ? ours.bytes / theirs.bytes : undefined,
      goal: 0.5,
      floor: 0.7,
      sense: 'most',
    },
  ];
}

/** The generated part of docs/benchmarks.md about BM25. */
export function lexicalTables({ lexical = [] }: Partial<Report>): string[] {
  if (lexical.length === 0) return [];
  return [
    'Passages of 240 characters; queries are five words of a passage, `found` the share whose passage is among the first ten. Builds are medians of three repeats after the first, which has nothing compiled and no word stemmed yet.',
    table(
      ['', 'passages', 'build ms', 'first build', 'median ms', 'p95 ms', 'MB', 'found'],
      lexical.flatMap(({ passages, engines }) =>
        engines.map((e) => [
          e.name,
          String(passages),
          e.build.toFixed(0),
          e.firstBuild.toFixed(0),
          figure(e.median),
          figure(e.p95),
          (e.bytes / 1e6).toFixed(2),
          e.found.toFixed(3),
        ]),
      ),
    ),
    ...lexical.flatMap(({ passages, expansion }) => (expansion ? expansionTable(passages, expansion) : [])),
  ];
}

function expansionTable(passages: number, { whole, after }: ExpansionCost): string[] {
  return [
    `Expansion keys of ${passages} passages, one thread: all at once, and with the memory of the passages before.`,
    table(
      ['came', 'went', 'ms', 'searched for their neighbours'],
      [
        [String(passages), '0', whole.toFixed(0), String(passages)],
        ...after.map(({ came, went, time, searched }) => [came, went, time.toFixed(0), searched].map(String)),
      ],
    ),
  ];
}

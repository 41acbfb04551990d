import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SelfIndexError, messageOf } from '../../base/errors.ts';
import { isRoleIds, whoJudges, whoJudgesInWords } from '../../roles/mixed.ts';
import type { JudgesReport } from '../judges/report.ts';
import type { LabReport, VersionReport } from '../report.ts';
import { failuresSection } from './failures-table.ts';
import { judgesSection } from './judges-table.ts';
import { holm } from '../statistics/holm.ts';
import { change, figure, interval, markdownTable, percent, pValue } from './table.ts';

/** Figures of others that ours are held against: `reference.json` beside the reports. */
export interface References {
  /** Order of the rows. */
  readonly collections: readonly string[];
  readonly bm25: Readonly<Record<string, number>>;
  readonly minilm: Readonly<Record<string, number>>;
  /** Collections of the mean gain that the project promised. */
  readonly promised: readonly string[];
}

/** @throws `unreadable-file` naming the file that is not what it should be. */
export function readJsonFile<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw new SelfIndexError('unreadable-file', `${path} is not a JSON file (${messageOf(error)}).`);
  }
}

/** The page of results: everything in it comes from the `--json` files of a folder. */
export function resultsPage(folder: string): string {
  const references = readJsonFile<References>(join(folder, 'reference.json'));
  const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'reference.json');
  const place = ({ collection }: { collection: string }) => references.collections.indexOf(collection);
  const read = <T extends { collection: string }>(aboutJudges: boolean) =>
    names
      .filter((name) => name.startsWith('judges-') === aboutJudges)
      .map((name) => readJsonFile<T>(join(folder, name)))
      .sort((a, b) => place(a) - place(b));
  const reports = read<LabReport>(false);
  const bases = reports.filter(({ roles }) => roles === null);
  const evolved = reports.filter(({ roles }) => roles !== null);
  return [
    '# Results',
    'Every number comes from a run of `npm run lab` in headless Chromium, kept in `docs/results/`; this page is written from those files by\n`npm run lab -- results`. nDCG@10, R@100 as `ir_measures` names and computes them; better and worse count evaluation queries by nDCG@10\nagainst version 0. The evolution never sees an evaluation query. 95 %: bootstrap percentile interval of the mean change over the queries; p: paired\nrandomisation test, two-sided; Holm: the same, corrected for all the evolved runs of this page; –: the file is from before there were any.',
    ...baseSection(
      'BM25, originals alone',
      bases.filter(({ retriever }) => retriever === 'bm25'),
      references.bm25,
      0.01,
    ),
    ...baseSection(
      'MiniLM with int8 weights, originals alone',
      bases.filter((report) => report.retriever === 'dense' && activationsOf(report) === 'fp32'),
      references.minilm,
      0.005,
    ),
    ...baseSection(
      'MiniLM with int8 weights and dynamic int8 between them, originals alone',
      bases.filter((report) => report.retriever === 'dense' && activationsOf(report) === 'int8'),
      references.minilm,
      0.005,
    ),
    ...hybridSection(bases),
    ...evolvedSections(evolved, references),
    ...judgesSection(read<JudgesReport>(true)),
  ].join('\n\n');
}

function baseSection(
  title: string,
  rows: readonly LabReport[],
  reference: Readonly<Record<string, number>>,
  tolerance: number,
): string[] {
  if (rows.length === 0) return [];
  const known = rows.filter(({ collection }) => collection in reference);
  const differences = known.map((report) => ndcgOf(report.versions[0]) - reference[report.collection]);
  const low = Math.min(...differences);
  const verdict =
    rows[0].retriever === 'bm25'
      ? `The lowest difference is ${change(low)} (bound: −${figure(tolerance)}).`
      : `The largest difference is ${change(differences.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0))} (bound: ±${figure(tolerance)}).`;
  return [
    `## ${title}`,
    command(rows[0]),
    markdownTable(
      ['collection', 'nDCG@10', 'reference', 'difference', 'R@10', 'R@100', 'RR@10'],
      rows.map(({ collection, versions: [{ metrics }] }) => [
        collection,
        figure(metrics['nDCG@10']),
        collection in reference ? figure(reference[collection]) : '–',
        collection in reference ? change(metrics['nDCG@10'] - reference[collection]) : '–',
        figure(metrics['R@10']),
        figure(metrics['R@100']),
        figure(metrics['RR@10']),
      ]),
    ),
    verdict,
  ];
}

function hybridSection(reports: readonly LabReport[]): string[] {
  const rows = reports.filter(({ retriever }) => retriever === 'hybrid');
  if (rows.length === 0) return [];
  return [
    '## Hybrid (reciprocal rank fusion), originals alone',
    command(rows[0]),
    markdownTable(
      ['collection', 'nDCG@10', 'R@10', 'R@100', 'RR@10'],
      rows.map(({ collection, versions: [{ metrics }] }) => [
        collection,
        ...Object.values(metrics).map(figure),
      ]),
    ),
  ];
}

function evolvedSections(reports: readonly LabReport[], references: References): string[] {
  const groups = new Map<string, LabReport[]>();
  for (const report of reports) {
    const key = JSON.stringify([report.roles, report.retriever, report.settings]);
    groups.set(key, [...(groups.get(key) ?? []), report]);
  }
  const corrected = correctedValues(reports);
  return [...groups.values()].flatMap((group) => evolvedSection(group, references, corrected));
}

/** Holm's correction over every comparison of the page. */
function correctedValues(reports: readonly LabReport[]): ReadonlyMap<LabReport, number> {
  const compared = reports.flatMap((report) =>
    report.comparison ? [{ report, p: report.comparison.p }] : [],
  );
  const corrected = holm(compared.map(({ p }) => p));
  return new Map(compared.map(({ report }, i) => [report, corrected[i]]));
}

function evolvedSection(
  group: readonly LabReport[],
  { promised }: References,
  corrected: ReadonlyMap<LabReport, number>,
): string[] {
  const [{ retriever, roles, settings }] = group;
  const last = (report: LabReport) => report.versions[report.versions.length - 1];
  const gain = (report: LabReport) => ndcgOf(last(report)) - ndcgOf(report.versions[0]);
  const mean = group.filter(({ collection }) => promised.includes(collection));
  const complete = mean.length === promised.length;
  const base = mean.reduce((sum, report) => sum + ndcgOf(report.versions[0]), 0);
  const worst = group.reduce((a, b) => (gain(b) < gain(a) ? b : a));
  return [
    `## Evolved: ${roles}, ${retriever}`,
    command(group[0]),
    `Settings: \`${JSON.stringify(settings)}\`.`,
    ...(isRoleIds(settings.roles) ? [whoJudgesInWords(whoJudges(settings.roles))] : []),
    markdownTable(
      [
        'collection',
        'version 0',
        'last',
        'change',
        '',
        '95 %',
        'p',
        'Holm',
        'better',
        'worse',
        'R@100',
        'keys',
        'documents',
        'expansion',
        'guard',
      ],
      group.map((report) => [
        report.collection,
        figure(ndcgOf(report.versions[0])),
        figure(ndcgOf(last(report))),
        change(gain(report)),
        percent(gain(report) / ndcgOf(report.versions[0])),
        interval(report),
        pValue(report.comparison?.p),
        pValue(corrected.get(report)),
        String(last(report).better),
        String(last(report).worse),
        `${figure(report.versions[0].metrics['R@100'])} → ${figure(last(report).metrics['R@100'])}`,
        String(last(report).keys),
        String(last(report).documentsWithKeys),
        String(last(report).expansionKeys),
        report.versions.slice(1).map(guardWord).join(', '),
      ]),
    ),
    `The lowest change is ${change(gain(worst))} (${worst.collection}).` +
      (complete
        ? ` The mean over ${promised.join(', ')} gains ${percent(mean.reduce((sum, report) => sum + gain(report), 0) / base)} (of the mean nDCG@10) and ${percent(mean.reduce((sum, report) => sum + gain(report) / ndcgOf(report.versions[0]), 0) / mean.length)} (mean of the gains).`
        : ''),
    ...failuresSection(group),
    'What it took, iteration by iteration:',
    markdownTable(
      [
        'collection',
        'version',
        'nDCG@10',
        'visited',
        'diagnosed',
        'accepted',
        'refused F/S/S',
        'skipped',
        'calls',
        'tokens',
        'seconds',
        'stopped by',
      ],
      group.flatMap((report) =>
        report.versions
          .slice(1)
          .map((v) => [
            report.collection,
            String(v.version),
            figure(ndcgOf(v)),
            String(v.visited),
            String(v.diagnosed),
            String(v.accepted),
            `${v.rejected.faithfulness}/${v.rejected.specificity}/${v.rejected.separation}`,
            String(v.skipped),
            String(v.calls),
            String(v.inputTokens + v.outputTokens),
            v.seconds.toFixed(1),
            v.stoppedBy ?? '–',
          ]),
      ),
    ),
  ];
}

function guardWord({ guard }: VersionReport): string {
  if (!guard) return 'off';
  return guard.undone ? `undid ${guard.undone}` : 'held';
}

function activationsOf({ settings }: LabReport): 'fp32' | 'int8' {
  return (settings as ReportSettings).embedder?.activations ?? 'fp32';
}

function ndcgOf({ metrics }: VersionReport): number {
  return metrics['nDCG@10'];
}

/** The command line that makes a report, with NAME for its collection. */
function command({ retriever, roles, seed, settings }: LabReport): string {
  const { iterations, batch, order, budget, embedder, judge } = settings as ReportSettings;
  const flags = [
    `npm run lab -- ${roles === null ? 'evaluate' : 'evolve'} --collection ../shared/data/NAME --retriever ${retriever}`,
    embedder && `--embedder ${embedder.kind === 'static' ? 'static:' : ''}${embedder.model}`,
    embedder?.activations && `--activations ${embedder.activations}`,
    roles !== null &&
      `--roles ${roles} --iterations ${iterations} --batch ${batch} --order ${order} --seed ${seed}`,
    judge && `--judge ${judge}`,
    budget?.minutes && `--minutes ${budget.minutes}`,
  ];
  return ['```sh', flags.filter(Boolean).join(' '), '```'].join('\n');
}

interface ReportSettings {
  readonly iterations?: number;
  readonly batch?: number;
  readonly order?: string;
  readonly budget?: { readonly minutes?: number };
  readonly embedder?: {
    readonly kind?: string;
    readonly model: string;
    readonly activations?: 'fp32' | 'int8';
  };
  readonly judge?: string;
}

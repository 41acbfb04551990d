import type { JudgeReport } from '../judges/measure-judges.ts';
import type { JudgesReport } from '../judges/report.ts';
import { markdownTable } from './table.ts';

/** The judges of one collection, the best kappa first. */
export function judgesTable({ judges }: JudgesReport): string {
  const kappa = (one: JudgeReport) => one.kappa?.kappa ?? -1;
  return markdownTable(
    [
      'judge',
      'kappa',
      '95 %',
      'accuracy',
      'precision',
      'kept',
      'AUC 0–3',
      'AUC',
      'pairs',
      'skipped',
      'calls',
      's/pair',
    ],
    [...judges]
      .sort((a, b) => kappa(b) - kappa(a))
      .map((one) => [
        one.name,
        share(one.kappa?.kappa),
        one.kappa ? one.kappa.interval.map(share).join(' to ') : '–',
        share(one.accuracy),
        share(one.precision),
        share(one.recall),
        share(one.auc),
        share(one.aucOfValue),
        String(one.pairs),
        String(one.skipped),
        String(one.calls),
        one.calls > 0 ? (one.seconds / one.pairs).toFixed(1) : '–',
      ]),
  );
}

/** Two digits, no leading zero. */
function share(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  return value
    .toFixed(2)
    .replace(/^(-?)0\./, '$1.')
    .replace('-', '−');
}

/** The part of the page of results that tells who can judge. */
export function judgesSection(reports: readonly JudgesReport[]): string[] {
  if (reports.length === 0) return [];
  return [
    '## Who can judge',
    'Pairs of a search with a relevant document and, as many, with one of BM25’s first 30 that is not: the search stands where a key would,\nand a judge should let the first kind pass (score ≥ 2) and not the second. No judge has seen the judgements; an embedder’s thresholds are\nset on simulated searches. Kappa with the interval of Fleiss, Cohen and Everitt (pairs of one search are not independent: it is somewhat\ntoo narrow); precision of what passes; kept: share of the relevant that pass; AUC of the scores 0–3 and of what they are made of. A pair\nwithout an answer (skipped) does not pass. A round trip by BM25 judges what BM25 found: it is there to show why a judge must not be the\nretriever.',
    ...reports.flatMap((report) => [`### ${report.collection}`, command(report), judgesTable(report)]),
  ];
}

/** The command line that makes a report. */
function command({ collection, pairs, seed, embedder, model, judges }: JudgesReport): string {
  const flags = [
    `npm run lab -- judges --collection ../shared/data/${collection} --judges ${judges.map(({ name }) => name).join(',')}`,
    embedder && `--embedder ${embedder}`,
    model && `--model ${model}`,
    `--pairs ${pairs} --seed ${seed}`,
  ];
  return ['```sh', flags.filter(Boolean).join(' '), '```'].join('\n');
}

import { measureNames } from '../measures.ts';
import type { LabReport } from '../report.ts';

type Row = readonly string[];

/** A Markdown table; the first column to the left, the others to the right. */
export function markdownTable(head: Row, rows: readonly Row[]): string {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i].length)));
  const line = (cells: Row) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((w, i) => (i === 0 ? '-'.repeat(w) : `${'-'.repeat(w - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/** A measure as reports print it: four digits, no leading zero. */
export function figure(value: number): string {
  return value.toFixed(4).replace(/^0/, '');
}

/** A difference of measures, with its sign. */
export function change(value: number): string {
  return signOf(value.toFixed(4)) + figure(Math.abs(value));
}

/** A share, with its sign: .123 is `+12.3 %`. */
export function percent(value: number): string {
  const text = (value * 100).toFixed(1);
  return `${signOf(text)}${text.replace('-', '')} %`;
}

/** The 95 % interval of a difference; – where a file has none. */
export function interval({ comparison }: Pick<LabReport, 'comparison'>): string {
  return comparison ? comparison.interval.map(change).join(' to ') : '–';
}

/** A p-value as tables print it: three digits, no leading zero; – where there is none. */
export function pValue(p: number | undefined): string {
  if (p === undefined) return '–';
  return p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, '');
}

function signOf(rounded: string): string {
  const value = Number(rounded);
  return value === 0 ? '±' : value > 0 ? '+' : '−';
}

/** All versions of one run. */
export function runTable({ versions }: LabReport): string {
  return markdownTable(
    [
      'version',
      ...measureNames,
      'better',
      'worse',
      'keys',
      'documents',
      'accepted',
      'calls',
      'tokens',
      'seconds',
    ],
    versions.map((v) => [
      String(v.version),
      ...measureNames.map((name) => figure(v.metrics[name])),
      ...[
        v.better,
        v.worse,
        v.keys,
        v.documentsWithKeys,
        v.accepted,
        v.calls,
        v.inputTokens + v.outputTokens,
      ].map(String),
      v.seconds.toFixed(1),
    ]),
  );
}

/** First and last version of several runs. */
export function resultsTable(reports: readonly LabReport[]): string {
  return markdownTable(
    [
      'collection',
      'retriever',
      'roles',
      'base nDCG@10',
      'last nDCG@10',
      'change',
      '95 %',
      'p',
      'better',
      'worse',
      'R@100',
      'keys',
    ],
    reports.map(({ collection, retriever, roles, versions, comparison }) => {
      const first = versions[0];
      const last = versions[versions.length - 1];
      return [
        collection,
        retriever,
        roles ?? '–',
        figure(first.metrics['nDCG@10']),
        figure(last.metrics['nDCG@10']),
        change(last.metrics['nDCG@10'] - first.metrics['nDCG@10']),
        interval({ comparison }),
        pValue(comparison?.p),
        String(last.better),
        String(last.worse),
        `${figure(first.metrics['R@100'])} → ${figure(last.metrics['R@100'])}`,
        String(last.keys),
      ];
    }),
  );
}

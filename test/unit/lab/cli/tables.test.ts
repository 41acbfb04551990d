import { describe, expect, it } from 'vitest';
import {
  change,
  figure,
  percent,
  markdownTable,
  pValue,
  resultsTable,
  runTable,
} from '../../../../src/lab/cli/table.ts';
import type { LabReport, VersionReport } from '../../../../src/lab/report.ts';

const version = (number: number, ndcg: number, more: Partial<VersionReport> = {}): VersionReport => ({
  version: number,
  metrics: { 'nDCG@10': ndcg, 'R@10': 0.5, 'R@100': 1, 'RR@10': 0.25 },
  keys: 0,
  documentsWithKeys: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  seconds: 0,
  accepted: 0,
  rejected: { faithfulness: 0, specificity: 0, separation: 0 },
  better: 0,
  worse: 0,
  expansionKeys: 0,
  visited: 0,
  diagnosed: 0,
  skipped: 0,
  ...more,
});
const report: LabReport = {
  collection: 'beaver',
  retriever: 'bm25',
  roles: 'extractive',
  seed: 0,
  versions: [
    version(0, 0.5),
    version(1, 0.4875, { better: 1, worse: 3, keys: 12, inputTokens: 40, outputTokens: 2, seconds: 1.25 }),
  ],
  settings: {},
};

describe('tables', () => {
  it('prints measures with four digits, changes with their sign', () => {
    expect([0, 0.5, 1].map(figure)).toEqual(['.0000', '.5000', '1.0000']);
    expect([0.0125, -0.0125, -0.00001].map(change)).toEqual(['+.0125', '−.0125', '±.0000']);
    expect([1, 0.0496, 0.0009, undefined].map(pValue)).toEqual(['1.000', '.050', '< .001', '–']);
    expect([0.1234, -0.05, 0].map(percent)).toEqual(['+12.3 %', '−5.0 %', '±0.0 %']);
  });

  it('aligns columns', () => {
    expect(
      markdownTable(
        ['a', 'b'],
        [
          ['long name', '1'],
          ['x', '22.50'],
        ],
      ),
    ).toBe(
      [
        '| a         |     b |',
        '| --------- | ----: |',
        '| long name |     1 |',
        '| x         | 22.50 |',
      ].join('\n'),
    );
  });

  it('shows every version of a run, and first and last of several', () => {
    const [, , zero, one] = runTable(report).split('\n');
    expect(zero.split(/[ |]+/).slice(1, 6)).toEqual(['0', '.5000', '.5000', '1.0000', '.2500']);
    expect(one.split(/[ |]+/).slice(1, -1)).toEqual([
      '1',
      '.4875',
      '.5000',
      '1.0000',
      '.2500',
      '1',
      '3',
      '12',
      '0',
      '0',
      '0',
      '42',
      '1.3',
    ]);
    expect(
      resultsTable([report])
        .split('\n')[2]
        .split(/ *\| */)
        .slice(1, -1),
    ).toEqual([
      'beaver',
      'bm25',
      'extractive',
      '.5000',
      '.4875',
      '−.0125',
      '–',
      '–',
      '1',
      '3',
      '1.0000 → 1.0000',
      '12',
    ]);
    const comparison = {
      queries: 20,
      difference: -0.0125,
      interval: [-0.03, 0.0049] as const,
      p: 0.0312,
      exact: true,
      wins: 1,
      losses: 3,
      ties: 16,
    };
    const compared = resultsTable([{ ...report, comparison }]).split('\n')[2];
    expect(compared).toContain('| −.0125 | −.0300 to +.0049 | .031 |');
  });
});

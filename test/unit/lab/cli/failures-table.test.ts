import { expect, it } from 'vitest';
import { cell, failuresSection } from '../../../../src/lab/cli/failures-table.ts';
import type { LabReport } from '../../../../src/lab/report.ts';

const none = { 'generated key': 0, 'expansion key': 0, 'key lost': 0, 'another relevant': 0, 'no key': 0 };
const report: LabReport = {
  collection: 'a',
  retriever: 'bm25',
  roles: 'extractive',
  seed: 0,
  versions: [],
  settings: {},
  failures: {
    worse: { ...none, 'generated key': 2, 'expansion key': 5 },
    left: { ...none, 'expansion key': 1 },
    worst: [
      {
        queryId: 'q',
        query: 'where | is <b>it</b>?\nhere',
        ndcg: [1, 0],
        documentId: 'good',
        ranks: [1, 0],
        cause: 'generated key',
        overtakenBy: { documentId: 'rival_1', ranks: [2, 1], keyId: 'k' },
        key: {
          kind: 'generated',
          text: 'a [link](x)',
          by: 'reviser',
          form: 'question',
          born: 2,
          verdict: {
            specificity: { rivals: 3, passed: true },
            separation: { before: null, after: null, passed: true },
            faithfulness: { score: 2, passed: true },
          },
        },
      },
    ],
    lost: [],
  },
};

it('counts causes and tells the worst, with texts that are no Markdown', () => {
  const page = failuresSection([report]).join('\n');
  expect(page).toContain('2 / 0');
  expect(page).toContain('5 / 1');
  const row = page.split('\n').find((line) => line.includes('where'));
  expect(row).toContain('where \\| is \\<b\\>it\\</b\\>? here');
  expect(row).toContain('| 1.0000 → .0000 | 1 → > 20 |');
  expect(row).toContain('a \\[link\\](x) (question, version 2) | R 3, S – → –, F 2 |');
});

it('says nothing of files from before there were any', () => {
  const { failures: _, ...old } = report;
  expect(failuresSection([old])).toEqual([]);
});

it('cuts long texts', () => {
  expect(cell('abc '.repeat(10), 8)).toBe('abc abc …');
});

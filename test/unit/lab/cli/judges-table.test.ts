import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { judgesTable } from '../../../../src/lab/cli/judges-table.ts';
import { resultsPage } from '../../../../src/lab/cli/results-page.ts';
import type { JudgeReport } from '../../../../src/lab/judges/measure-judges.ts';
import type { JudgesReport } from '../../../../src/lab/judges/report.ts';

const judge = (name: string, more: Partial<JudgeReport> = {}): JudgeReport => ({
  name,
  id: name,
  pairs: 40,
  skipped: 0,
  auc: 0.875,
  aucOfValue: 0.9,
  accuracy: 0.75,
  precision: 2 / 3,
  recall: 1,
  kappa: { kappa: 0.5, standardError: 0.1, interval: [0.304, 0.696] },
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  seconds: 0,
  ...more,
});
const report: JudgesReport = {
  collection: 'a',
  pairs: 40,
  seed: 3,
  embedder: 'MiniLM',
  model: 'transformers:tiny',
  judges: [
    judge('coin', {
      kappa: null,
      precision: null,
      recall: 0,
      aucOfValue: null,
      skipped: 40,
      calls: 80,
      seconds: 20,
    }),
    judge('worse', { kappa: { kappa: -0.1, standardError: 0.1, interval: [-0.296, 0.096] } }),
    judge('rules+roundtrip'),
  ],
};

it('lists the best kappa first, and a dash where a figure is not defined', () => {
  const rows = judgesTable(report)
    .split('\n')
    .map((line) => line.split(/ *\| */).slice(1, -1));
  expect(rows.slice(2)).toEqual([
    ['rules+roundtrip', '.50', '.30 to .70', '.75', '.67', '1.00', '.88', '.90', '40', '0', '0', '–'],
    ['worse', '−.10', '−.30 to .10', '.75', '.67', '1.00', '.88', '.90', '40', '0', '0', '–'],
    ['coin', '–', '–', '.75', '–', '.00', '.88', '–', '40', '40', '80', '0.5'],
  ]);
});

it('has a section of the page of results, with the command that makes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'self-index-judges-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const references = { collections: ['a'], bm25: {}, minilm: {}, promised: [] };
  writeFileSync(join(folder, 'reference.json'), JSON.stringify(references));
  writeFileSync(join(folder, 'judges-a.json'), JSON.stringify(report));
  const page = resultsPage(folder);
  expect(page).toContain('## Who can judge');
  expect(page).toContain(judgesTable(report));
  expect(page).toContain(
    'npm run lab -- judges --collection ../shared/data/a --judges coin,worse,rules+roundtrip --embedder MiniLM --model transformers:tiny --pairs 40 --seed 3',
  );
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resultsPage } from '../../../../src/lab/cli/results-page.ts';
import type { LabReport, VersionReport } from '../../../../src/lab/report.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'self-index-results-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const version = (number: number, ndcg: number, more: Partial<VersionReport> = {}): VersionReport => ({
  version: number,
  metrics: { 'nDCG@10': ndcg, 'R@10': 0.5, 'R@100': 0.75, 'RR@10': 0.25 },
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

const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
const cells = (page: string, start: string) =>
  page
    .split('\n')
    .filter((line) => line.startsWith(`| ${start} `))
    .map((line) => line.split(/ *\| */).slice(1, -1));

it('compares bases with their references and sums up what evolution changed', () => {
  write('reference.json', {
    collections: ['b', 'a'],
    bm25: { a: 0.5, b: 0.41 },
    minilm: {},
    promised: ['a', 'b'],
  });
  const base: LabReport = {
    collection: 'a',
    retriever: 'bm25',
    roles: null,
    seed: 0,
    versions: [version(0, 0.5)],
    settings: {},
  };
  write('base-a.json', base);
  write('base-b.json', { ...base, collection: 'b', versions: [version(0, 0.4)] });
  const evolved: LabReport = { ...base, roles: 'extractive', settings: { batch: 128 } };
  const guard = { queries: 64, before: 0.5, after: 0.6, tolerance: 0.005, held: true };
  const comparison = {
    queries: 50,
    difference: 0.1,
    interval: [0.04, 0.17],
    p: 0.012,
    exact: false,
    wins: 7,
    losses: 0,
    ties: 43,
  };
  const versions = [version(0, 0.5), version(1, 0.6, { better: 7, guard })];
  write('evolved-a.json', { ...evolved, versions, comparison });
  write('evolved-b.json', {
    ...evolved,
    collection: 'b',
    comparison: { ...comparison, difference: -0.02, interval: [-0.05, 0.01], p: 0.3 },
    versions: [
      version(0, 0.4),
      version(1, 0.38, { worse: 2, guard: { ...guard, held: false, undone: 'expansion' } }),
    ],
  });

  const page = resultsPage(folder);
  const [[, ...baseB], [, ...evolvedB]] = cells(page, 'b');
  expect(baseB.slice(0, 3)).toEqual(['.4000', '.4100', '−.0100']);
  const [before, after, difference, share, ...rest] = evolvedB;
  expect([before, after, difference, share]).toEqual(['.4000', '.3800', '−.0200', '−5.0 %']);
  expect(rest.slice(0, 5)).toEqual(['−.0500 to +.0100', '.300', '.300', '0', '2']);
  expect(evolvedB.at(-1)).toBe('undid expansion');
  // Holm, of two: .012 × 2
  expect(cells(page, 'a')[1].slice(1, 10)).toEqual([
    '.5000',
    '.6000',
    '+.1000',
    '+20.0 %',
    '+.0400 to +.1700',
    '.012',
    '.024',
    '7',
    '0',
  ]);
  expect(page).toContain('The lowest difference is −.0100');
  expect(page).toContain('The lowest change is −.0200 (b).');
  // (.1 − .02) / .9 of the mean, (.2 − .05) / 2 as the mean of the gains
  expect(page).toContain('gains +8.9 % (of the mean nDCG@10) and +7.5 % (mean of the gains)');
});

it('names the file that is no report', () => {
  expect(() => resultsPage(folder)).toThrow(/reference\.json is not a JSON file/);
});

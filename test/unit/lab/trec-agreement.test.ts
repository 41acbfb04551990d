import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { measureNames, measureQuery, measureRun, type Measures } from '../../../src/lab/measures.ts';
import { trecRunLines } from '../../../src/lab/trec-run.ts';

const read = (name: string) => readFileSync(new URL(`../../fixtures/trec/${name}`, import.meta.url), 'utf8');

const rankings = JSON.parse(read('rankings.json')) as Record<string, [id: string, score: number][]>;
const expected = JSON.parse(read('expected.json')) as {
  perQuery: Record<string, Measures>;
  mean: Measures;
};
const qrels = new Map<string, Map<string, number>>();
for (const line of read('qrels.txt').trim().split('\n')) {
  const [query, , document, judgement] = line.split(' ');
  qrels.set(query, (qrels.get(query) ?? new Map<string, number>()).set(document, Number(judgement)));
}
const run = new Map(Object.entries(rankings).map(([query, hits]) => [query, hits.map(([id]) => id)]));

describe('agreement with trec_eval (pytrec_eval, ir_measures)', () => {
  it('writes the run that was scored, so that its order survives trec_eval’s own sorting', () => {
    const lines = Object.entries(rankings).map(([query, hits]) =>
      trecRunLines(
        query,
        hits.map(([documentId, score]) => ({ documentId, score })),
        'self-index',
      ),
    );
    expect(lines.join('')).toBe(read('run.txt'));
  });

  it.each(Object.keys(expected.perQuery))('gives the same figures for %s', (query) => {
    const ours = measureQuery(run.get(query) ?? [], qrels.get(query) ?? new Map());
    for (const name of measureNames)
      expect(Math.abs(ours[name] - expected.perQuery[query][name])).toBeLessThan(1e-6);
  });

  it('covers every judged query that has a ranking, and averages alike', () => {
    expect(Object.keys(expected.perQuery).sort()).toEqual(
      [...qrels.keys()].filter((query) => (run.get(query) ?? []).length > 0).sort(),
    );
    const { mean } = measureRun(run, qrels);
    for (const name of measureNames) expect(Math.abs(mean[name] - expected.mean[name])).toBeLessThan(1e-6);
  });
});

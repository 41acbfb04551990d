import { expect, test } from 'vitest';
import { wholeKeySet } from '../../../src/keys/types.ts';
import { diagnoseByRule } from '../../../src/roles/extractive/diagnoser.ts';
import { key, record, row, simpleView } from './simple-view.ts';

const texts = ['Oranges grow in warm valleys', 'Trains leave the station at noon', 'Oranges ripen late'];
const view = simpleView(texts, { OLTP: ['online transaction processing'] });

test('no evidence and no gap: no shortfall', () => {
  expect(diagnoseByRule(record(texts[0]), view)).toBeNull();
});

test('a known answer among the first three is no shortfall; from rank 4 on it is, and the lacking words are named', () => {
  const at = (rank: number) =>
    diagnoseByRule(record(texts[0], { rows: [row('citrus valleys', 'd0', rank)] }), view);
  expect(at(3)).toBeNull();
  expect(at(4)?.shortfalls.map((shortfall) => shortfall.key)).toEqual([wholeKeySet]);
  expect(at(4)?.shortfalls[0].cause).toContain('rank 4');
  expect(at(4)?.shortfalls[0].cause).toContain('No key has the words citrus.');
});

test('a search whose answer is another document proves nothing', () => {
  expect(diagnoseByRule(record(texts[0], { rows: [row('trains', 'd0', 9, 'other')] }), view)).toBeNull();
});

test('a missed search leads, before one that ranked low', () => {
  const missed = [{ id: 'm', text: 'citrus farms', kind: 'simulated' as const, sourceDocumentId: 'd' }];
  const diagnosis = diagnoseByRule(record(texts[0], { missed, rows: [row('warm places', 'd0', 12)] }), view);
  expect(diagnosis?.shortfalls[0].cause).toMatch(/“citrus farms” should lead .* did not find it/);
  expect(diagnosis?.shortfalls[0].cause).toContain('1 more');
});

test('a generated key that many searches met in a crowd and that never led is indistinct', () => {
  const crowd = Array.from({ length: 20 }, (_, i) => ({
    keyId: `o${i}`,
    documentId: `o${i}`,
    text: 'x',
    count: 1,
  }));
  const rows = ['a', 'b', 'c'].map((query, i) => row(query, 'k1', 11 + i, 'other'));
  const shown = record(texts[0], {
    generated: [key('k1', 'warm')],
    profiles: [{ keyId: 'k1', with: crowd }],
    rows,
  });
  expect(diagnoseByRule(shown, view)?.shortfalls.map((shortfall) => shortfall.key)).toEqual(['k1']);
  const led = { ...shown, rows: [...rows, row('d', 'k1', 2, 'other')] };
  expect(diagnoseByRule(led, view)).toBeNull();
});

test('gaps of the text are shortfalls of the original key', () => {
  const gaps = (text: string, words = 180) =>
    diagnoseByRule(record(text), view, { embedderWords: words })?.shortfalls ?? [];
  expect(gaps('The field accountHolderName is set')[0].cause).toContain('accountHolderName');
  expect(gaps('We run OLTP here')[0].cause).toContain('“online transaction processing”');
  expect(gaps('We run OLTP, online transaction processing')).toEqual([]);
  expect(gaps('one two three four five six', 5)[0].cause).toContain('6 words');
  expect(gaps('one two three four five six', 6)).toEqual([]);
  expect(gaps('We run OLTP here')[0].key).toBe('d0');
});

test('for a reviser that can write, a document without a written key has a shortfall of coverage', () => {
  const rules = { embedderWords: 180, unwritten: true };
  const of = (form: 'question' | 'passage') =>
    diagnoseByRule(record(texts[0], { generated: [key('k1', 'warm', form)] }), view, rules);
  expect(of('passage')?.shortfalls).toEqual([
    { key: wholeKeySet, cause: 'No key says what it is good for in other words than its own.' },
  ]);
  expect(of('question')).toBeNull();
});

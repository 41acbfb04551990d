import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queriesFrom } from '../../../src/roles/extractive/simulator.ts';
import { simpleView } from './simple-view.ts';

const text =
  'The accountHolderName of a loan is stored in the OLTP system. Interest falls due each quarter of a year.';
const view = simpleView([text, 'Trains leave at noon'], { OLTP: ['online transaction processing'] });
const task = (seed: string, count = 5, of = text) => ({ documentId: 'd', text: of, count, seed });

test('queries are distinct, of the document’s words in their order, and the same for the same seed', () => {
  const spoken = `${text.toLowerCase()} account holder name online transaction processing`;
  fc.assert(
    fc.property(fc.string(), (seed) => {
      const queries = queriesFrom(task(seed), view);
      expect(queries).toEqual(queriesFrom(task(seed), view));
      expect(new Set(queries).size).toBe(queries.length);
      expect(queries.length).toBeGreaterThan(0);
      for (const query of queries) {
        for (const word of query.split(' ')) expect(spoken).toContain(word);
        const places = query.split(' ').map((word) => text.toLowerCase().indexOf(word));
        const known = places.filter((place) => place >= 0 && !query.includes('holder'));
        if (!query.includes('processing')) expect(known).toEqual([...known].sort((a, b) => a - b));
      }
    }),
    { numRuns: 50 },
  );
});

test('another seed draws other queries; acronyms and names are sometimes spoken', () => {
  const all = Array.from({ length: 40 }, (_, i) => queriesFrom(task(`${i}`), view)).flat();
  expect(new Set(all).size).toBeGreaterThan(20);
  expect(all.some((query) => query.includes('online transaction processing'))).toBe(true);
  expect(all.some((query) => query.includes('account holder name'))).toBe(true);
  expect(all.some((query) => query.includes('oltp'))).toBe(true);
});

test('Chinese queries are stretches of a sentence', () => {
  const chinese = '十九世紀的歐洲學者一般偏好用天城體來抄寫。';
  for (const query of queriesFrom(task('1', 3, chinese), simpleView([chinese]))) {
    expect(chinese).toContain(query);
    expect(query.length).toBeGreaterThan(1);
  }
});

test('a text without words gives no queries', () => {
  expect(queriesFrom(task('1', 3, '… !!'), view)).toEqual([]);
});

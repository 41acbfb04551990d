import { expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';

const terms = (text: string) =>
  createAnalyser()
    .analyse(text)
    .map(({ term }) => term);

it('drops stop words and stems English', () => {
  expect(terms('The retrieval of connected documents')).toEqual(['retriev', 'connect', 'document']);
});

it('indexes an identifier whole and in parts, the whole counting more', () => {
  expect(createAnalyser().analyse('accountHolderName')).toEqual([
    { term: 'accountholdernam', weight: 1, start: 0, end: 17 },
    { term: 'account', weight: 0.5, start: 0, end: 7 },
    { term: 'holder', weight: 0.5, start: 7, end: 13 },
    { term: 'name', weight: 0.5, start: 13, end: 17 },
  ]);
  expect(terms('ACCOUNT_HOLDER')).toEqual(['accounthold', 'account', 'holder']);
});

it('splits run-together capitals into words', () => {
  expect(terms('FINANCIALSERVICEACCOUNT').slice(1)).toEqual(['financi', 'servic', 'account']);
});

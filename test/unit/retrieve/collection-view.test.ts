import { describe, expect, it } from 'vitest';
import { collectAcronyms } from '../../../src/retrieve/acronyms.ts';
import { createCollectionView } from '../../../src/retrieve/collection-view.ts';
import { wordAnalyser } from './reference.ts';

describe('createCollectionView', () => {
  it('has idf over original texts, a document counted once, and terms as the index sees them', async () => {
    const view = await createCollectionView(
      [
        { id: 'a', title: 'Cats', text: 'a cat, a cat' },
        { id: 'b', text: 'a dog' },
      ],
      wordAnalyser,
    );
    expect(view.size).toBe(2);
    expect(view.idf('cat')).toBeCloseTo(Math.log(1 + 1.5 / 1.5), 12);
    expect(view.idf('cats')).toBeCloseTo(Math.log(1 + 1.5 / 1.5), 12);
    expect(view.idf('a')).toBeCloseTo(Math.log(1 + 0.5 / 2.5), 12);
    expect(view.idf('zebra')).toBeCloseTo(Math.log(1 + 2.5 / 0.5), 12);
    expect(view.terms('cat cat [dog]')).toEqual(
      new Map([
        ['cat', 2],
        ['dog', 0.5],
      ]),
    );
  });

  it('is empty over no documents', async () => {
    const view = await createCollectionView([], wordAnalyser);
    expect([view.size, view.expansionsOf('AB')]).toEqual([0, []]);
    expect(Number.isFinite(view.idf('a'))).toBe(true);
  });
});

describe('collectAcronyms', () => {
  const formsOf = (acronym: string, ...texts: string[]) => collectAcronyms(texts).get(acronym) ?? [];

  it.each([
    ['Fixed Income Security (FIS) is traded', 'FIS', ['fixed income security']],
    ['the FIS (Fixed Income Security) desk', 'FIS', ['fixed income security']],
    ['run by the Department of the Interior (DOI)', 'DOI', ['department of the interior']],
    ['many Application Programming Interfaces (APIs)', 'API', ['application programming interfaces']],
    ['Fixed-Income Security (FIS)', 'FIS', ['fixed income security']],
    ['Élan Vital Records (EVR)', 'EVR', []],
  ])('finds in %j the long form of %s', (text, acronym, forms) => {
    expect(formsOf(acronym, text)).toEqual(forms);
  });

  it.each([
    'it rained (NASA said)',
    'see below (a)',
    'some word (OW)',
    'Big Cat (DOG)',
    '(FIS)',
    'a (b (c) d)',
  ])('finds nothing in %j', (text) => {
    expect(collectAcronyms([text]).size).toBe(0);
  });

  it('puts the most frequent long form first, ties in code point order', () => {
    const texts = ['Alpha Beta (AB)', 'Able Body (AB)', 'Acid Base (AB)', 'Able Body (AB)'];
    expect(formsOf('AB', ...texts)).toEqual(['able body', 'acid base', 'alpha beta']);
  });
});

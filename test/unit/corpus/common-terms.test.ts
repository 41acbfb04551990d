import { describe, expect, it } from 'vitest';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import { commonTerms } from '../../../src/corpus/common-terms.ts';

describe('commonTerms', () => {
  it('are indexed forms of the few hundred most frequent words, and of no word that names a thing', () => {
    const terms = commonTerms();
    expect(terms.size).toBeGreaterThan(100);
    expect(terms.size).toBeLessThan(300);
    const analyser = createAnalyser();
    const termOf = (word: string) => analyser.analyse(word)[0].term;
    for (const word of ['when', 'my', 'Something', 'keeps', 'should'])
      expect(terms, word).toContain(termOf(word));
    for (const word of ['derailleur', 'sourdough', 'account', 'query', 'table', 'heat', 'cell'])
      expect(terms, word).not.toContain(termOf(word));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../src/corpus/fold.ts';
import { documentKeyText } from '../../../src/corpus/key-text.ts';
import { eachSegment } from '../../../src/corpus/segments.ts';
import { sentenceRanges, sentences } from '../../../src/corpus/sentences.ts';
import { jaccard, wordSet } from '../../../src/corpus/words.ts';

describe('documentKeyText', () => {
  it('puts the title on a line before the text, where there is one', () => {
    expect(documentKeyText({ title: 'Owls', text: 'Night birds.' })).toBe('Owls\nNight birds.');
    expect(documentKeyText({ title: '', text: 'Night birds.' })).toBe('Night birds.');
    expect(documentKeyText({ text: 'Night birds.' })).toBe('Night birds.');
  });
});

describe('fold', () => {
  it.each([
    ['Châtelier', 'chatelier'],
    ['Λέξεις', 'λεξεισ'],
    ['STRASSE', 'strasse'],
    ['Straße', 'strasse'],
    ['İSTANBUL', 'istanbul'],
    ['Żółć', 'zolc'],
    ['Ｆｕｌｌ', 'full'],
    ['ﬁsh', 'fish'],
    ['co\u00adop', 'coop'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['ガギ', 'ガギ'],
    ['किताब', 'किताब'],
    ['서울', '서울'],
  ])('%s → %s', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it('changes nothing when done again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 8 }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('eachSegment', () => {
  it('gives what Intl.Segmenter gives for the whole, window or not', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
    const piece = fc.constantFrom('owl', ' ', '.', '😀', 'x'.repeat(300), ', ', '1.5', '\n', "don't", 'é');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const text = pieces.join('');
        const found: string[] = [];
        eachSegment(segmenter, text, (start, end, like) => found.push(`${text.slice(start, end)} ${like}`));
        expect(found).toEqual([...segmenter.segment(text)].map((s) => `${s.segment} ${s.isWordLike}`));
      }),
      { numRuns: 50 },
    );
  });
});

describe('sentences', () => {
  it('parts prose at its full stops and not inside numbers', () => {
    expect(sentences('Owls hunt at 2.5 km. They eat\nvoles! Do they? 他們是夜行性。對。')).toEqual([
      'Owls hunt at 2.5 km.',
      'They eat voles!',
      'Do they?',
      '他們是夜行性。',
      '對。',
    ]);
  });

  it('takes headings, list items, table rows and lines of code for sentences', () => {
    const text =
      '# Owls\nNight birds\n- one\n- two\n  goes on\n\n| a | b |\n| - | - |\n| 1 | 2 |\n```js\nlet a;\nlet b;\n```\nEnd';
    expect(sentences(text)).toEqual([
      '# Owls',
      'Night birds',
      '- one',
      '- two goes on',
      '| a | b |',
      '| 1 | 2 |',
      'let a;',
      'let b;',
      'End',
    ]);
  });

  it('cuts what never ends', () => {
    const ranges = sentenceRanges(`${'word '.repeat(1000)}${'😀'.repeat(2000)}`);
    expect(Math.max(...ranges.map(({ start, end }) => end - start))).toBeLessThanOrEqual(1000);
  });

  it('loses no letter and never overlaps', () => {
    const piece = fc.constantFrom('Owl. ', 'a b', '\n', '- x\n', '\n\n', '# h\n', '| c |', '😀', '。');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        let last = 0;
        let kept = '';
        for (const { start, end } of sentenceRanges(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          kept += text.slice(start, end);
          last = end;
        }
        expect(kept.match(/\p{L}/gu) ?? []).toEqual(text.match(/\p{L}/gu) ?? []);
      }),
    );
  });
});

describe('word sets', () => {
  it('are of words, lower-cased, also where no spaces part them', () => {
    expect(wordSet('The owl, the OWL.')).toEqual(new Set(['the', 'owl']));
    expect(wordSet('我喜欢猫头鹰').size).toBeGreaterThan(1);
  });

  it('are compared by Jaccard', () => {
    expect(jaccard(wordSet('a b c'), wordSet('b c d'))).toBe(2 / 4);
    expect(jaccard(wordSet('a'), wordSet('b'))).toBe(0);
    expect(jaccard(new Set(), new Set())).toBe(1);
    expect(jaccard(new Set(['a']), new Set())).toBe(0);
  });
});

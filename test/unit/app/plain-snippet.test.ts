import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainSnippet } from '../../../src/app/words/plain-snippet.ts';

/** The snippet with its marked stretches in brackets. */
function shown(text: string, words: readonly string[] = []): string {
  const marks = words
    .map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }))
    .sort((a, b) => a.start - b.start);
  const plain = plainSnippet(text, marks);
  return [...plain.marks]
    .reverse()
    .reduce(
      (line, { start, end }) => `${line.slice(0, start)}[${line.slice(start, end)}]${line.slice(end)}`,
      plain.text,
    );
}

describe('an extract without markup', () => {
  it.each([
    ['moisture **in** the film', ['film'], 'moisture in the [film]'],
    ['**Cover** it', ['Cover'], '[Cover] it'],
    ['run `restic forget` now', ['forget'], 'run restic [forget] now'],
    ['see [[emergency-fund]].', ['emergency-fund'], 'see [emergency-fund].'],
    ['- one\n- two', ['two'], 'one\n[two]'],
    ['| a | b |\n| --- | :-: |\n| c | d |', ['c'], ' a  b \n\n [c]  d '],
    ['is _kahm_ yeast, __init__ and a_b_c', ['kahm'], 'is [kahm] yeast, __init__ and a_b_c'],
    ['snake_case 2 * 3 a-b', ['snake_case'], '[snake_case] 2 * 3 a-b'],
  ])('%j with %j', (text, words, expected) => {
    expect(shown(text, words)).toBe(expected);
  });

  it('keeps its marks on the same letters', () => {
    const piece = fc.constantFrom('**', '`', 'word', ' ', '\n', '|', '- ', '# ', '日本');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(), fc.nat(), (pieces, a, b) => {
        const text = pieces.join('');
        const start = a % (text.length + 1);
        const end = start + (b % (text.length + 1 - start));
        const letters = (s: string) => s.replace(/[^a-z日本]/g, '');
        const plain = plainSnippet(text, [{ start, end }]);
        const marked = plain.marks.map((mark) => plain.text.slice(mark.start, mark.end)).join('');
        expect(letters(marked)).toBe(letters(text.slice(start, end)));
        expect(letters(plain.text)).toBe(letters(text));
      }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import {
  firstWords,
  passagesOf,
  readable,
  sectionsOf,
  sentencesOf,
  tidy,
  words,
} from '../../../src/roles/extractive/text.ts';

describe('pieces of a document', () => {
  test('marks of Markdown that people do not type come off', () => {
    expect(tidy('> - the **branch collar** of _Malus_ ([photo](http://x.y/z)), `snake_case` kept')).toBe(
      'the branch collar of Malus (photo), snake_case kept',
    );
    expect(tidy('| a | b |')).toBe('a b');
  });

  test('sentences: wrapped lines are joined, headings and lines without a letter left out', () => {
    const text =
      '# Title\nA line of hard-wrapped text that goes on for a while and\nends here. Next one!\n\n1.\n- An item\n';
    expect(sentencesOf(text)).toEqual([
      'A line of hard-wrapped text that goes on for a while and ends here.',
      'Next one!',
      'An item',
    ]);
  });

  test('a section has the first sentence that says something; an empty one is left out', () => {
    expect(
      sectionsOf('## One\n1. Yes! Cut just above a bud. More.\n## Empty\n## Two\nThe second part begins.'),
    ).toEqual([
      { heading: 'One', firstSentence: 'Cut just above a bud.' },
      { heading: 'Two', firstSentence: 'The second part begins.' },
    ]);
  });

  test('passages are whole sentences up to a size and hold every word in order; a longer sentence is cut', () => {
    const text = 'One two three. Four five. Six seven eight nine ten eleven twelve.';
    const passages = passagesOf(text, 5);
    expect(passages).toEqual(['One two three. Four five.', 'Six seven eight nine ten', 'eleven twelve.']);
    expect(words(passages.join(' '))).toEqual(words(text));
  });

  test('words of scripts without spaces come from the dictionary; a cut keeps whole words', () => {
    expect(words('東京都 is Tokyo')).toContain('Tokyo');
    expect(words('東京都').join('')).toBe('東京都');
    expect(firstWords('one two, three', 2)).toBe('one two,');
    expect(firstWords('one', 5)).toBe('one');
  });

  test('what nobody can read is gone, and megabytes are not read', () => {
    expect(readable('a\u0000b\ud800c\u202ed\r\ne')).toBe('a b c d\ne');
    expect(readable('x'.repeat(2_000_000)).length).toBe(60_000);
  });
});

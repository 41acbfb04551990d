import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLines } from '../../../src/roles/prompted/lines.ts';

const options = {
  source: 'Oranges grow in warm valleys of the south',
  echoes: ['How often do I feed my bread culture?'],
  limit: 5,
  truncated: false,
};
const lines = (answer: string, more: Partial<typeof options> = {}) =>
  parseLines(answer, { ...options, ...more }).lines;

test('numbering, bullets, labels and quotes come off', () => {
  const answer = [
    '1. Where do oranges grow?',
    '2) "Which valleys are warm?"',
    '- What grows in the south?',
    '* **How warm must it be?**',
    'Question 5: Who picks oranges?',
  ].join('\n');
  expect(lines(answer)).toEqual([
    'Where do oranges grow?',
    'Which valleys are warm?',
    'What grows in the south?',
    'How warm must it be?',
    'Who picks oranges?',
  ]);
});

test('announcements, repetitions, echoes, stutter and lines of the wrong length are dropped and counted', () => {
  const answer = [
    'Sure! Here are four short questions:',
    'Where do oranges grow?',
    'where do oranges grow',
    'How often do I feed my bread culture?',
    'Oranges.',
    'the oranges the oranges the oranges the oranges the oranges',
    'word '.repeat(60),
    '',
  ].join('\n');
  expect(parseLines(answer, options)).toEqual({ lines: ['Where do oranges grow?'], dropped: 6 });
});

test('half a line at the token bound is dropped, a whole one stays', () => {
  const answer = 'Where do oranges grow?\nWhich valleys are';
  expect(lines(answer, { truncated: true })).toEqual(['Where do oranges grow?']);
  expect(lines(answer)).toEqual(['Where do oranges grow?', 'Which valleys are']);
  expect(lines('Oranges of the south', { truncated: true })).toEqual(['Oranges of the south']);
});

test('the language of the document is kept', () => {
  expect(lines('橙子生长在哪里？\nWhere do oranges grow?', { source: '橙子生长在温暖的山谷里。' })).toEqual([
    '橙子生长在哪里？',
  ]);
  expect(lines('Где растут апельсины сегодня?')).toEqual([]);
});

test('whatever the model says, at most `limit` distinct well-formed single lines come out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (answer) => {
      const found = lines(answer);
      expect(found.length).toBeLessThanOrEqual(5);
      expect(new Set(found).size).toBe(found.length);
      for (const line of found) expect(line.isWellFormed() && !line.includes('\n')).toBe(true);
    }),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLines } from '../../../src/roles/prompted/lines.ts';

const options = {
  source: 'Oranges grow in warm valleys of the south',
  instructions: 'Write three short questions that the text answers, one per line.',
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
    'Write three short questions, one per line.',
    'Oranges.',
    'the oranges the oranges the oranges the oranges the oranges',
    'word '.repeat(60),
    '',
  ].join('\n');
  expect(parseLines(answer, options)).toEqual({ lines: ['Where do oranges grow?'], dropped: 7 });
});

test('a line that goes on about the example is dropped, unless the document is about that too', () => {
  const echoes = ['What is the grey water on top of my sourdough starter?'];
  const answer =
    'What is the grey water on top of my table?\nWhich sourdough is the warmest?\nWhat is the top of my table?';
  expect(lines(answer, { echoes })).toEqual(['What is the top of my table?']);
  expect(lines(answer, { echoes, source: 'A grey loaf of sourdough' })).toHaveLength(3);
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

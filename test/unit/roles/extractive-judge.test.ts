import { expect, test } from 'vitest';
import { createRuleJudge, judgeByRule } from '../../../src/roles/extractive/judge.ts';
import { simpleView } from './simple-view.ts';

const text = 'The accountHolderName of a loan is stored for 30 days in the OLTP system';
const view = simpleView([text, 'Trains leave at noon', 'Oranges ripen late'], {
  OLTP: ['online transaction processing'],
});
const score = (key: string) => judgeByRule(text, key, view).score;

test('every word in the document: 3, and the reason says so', () => {
  expect(judgeByRule(text, 'loan stored', view)).toEqual({
    score: 3,
    reason: 'Every word of it is in the document.',
    value: 1,
  });
});

test('names and acronyms are seen through', () => {
  expect(score('account holder name of the loan')).toBe(3);
  expect(score('online transaction processing of a loan')).toBe(3);
  expect(judgeByRule('the account holder name', 'accountHolderName', view).score).toBe(3);
});

test('the score is the share of supported idf mass', () => {
  // Each of these words is in exactly one document: equal mass, so the share is 2 of 3, 1 of 2 and 0.
  expect(score('loan stored oranges')).toBe(2);
  expect(score('loan oranges')).toBe(1);
  expect(score('oranges')).toBe(0);
  expect(judgeByRule(text, 'loan oranges', view).reason).toContain('oranges');
});

test('words that only ask are left out of the account', () => {
  expect(score('How long is my loan stored?')).toBe(1);
  expect(score('Where can I find how the loan was stored?')).toBe(3);
  expect(score('What? How?')).toBe(0);
});

test('figures and denials cannot be invented', () => {
  expect(score('loan stored for 30 days')).toBe(3);
  expect(judgeByRule(text, 'loan stored days system name holder account OLTP 90', view)).toMatchObject({
    score: 1,
    reason: expect.stringContaining('90') as string,
  });
  expect(score('loan is not stored')).toBe(1);
});

test('an empty key has no support', () => {
  expect(score('')).toBe(0);
  expect(score('the of')).toBe(0);
});

test('one score per key and per pair, in order', async () => {
  const judge = createRuleJudge();
  const keys = ['loan', 'oranges'].map((one) => ({ text: one, form: 'sentence' as const }));
  const [scores] = await judge.faithfulness([{ documentId: 'd', documentText: text, keys }], view);
  expect(scores.ok && scores.value.map((one) => one.score)).toEqual([3, 0]);
  const answers = await judge.answerability(
    ['loan', 'oranges'].map((query) => ({ documentId: 'd', documentText: text, query })),
    view,
  );
  expect(answers.map((one) => one.ok && one.value)).toEqual([3, 0]);
});

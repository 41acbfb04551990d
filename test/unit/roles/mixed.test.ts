import { expect, test } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import { extractiveRoles } from '../../../src/roles/extractive/roles.ts';
import { combineRoles, modelOf, sameModel, whoJudges, whoJudgesInWords } from '../../../src/roles/mixed.ts';
import { combineJudges } from '../../../src/roles/judges/combined-judge.ts';
import { claimsJudge } from '../../../src/roles/prompted/judges.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';

const rules = extractiveRoles();
const small = promptedRoles(new FakeLanguageModel({ id: 'small (q8)', promptStyle: 'compact' }));
const large = promptedRoles(new FakeLanguageModel({ id: 'large' }));

test('any parts make roles, and the description names them', () => {
  const roles = combineRoles({
    ...rules,
    reviser: small.reviser,
    judge: large.judge,
    description: undefined,
  });
  expect(roles.reviser).toBe(small.reviser);
  expect(roles.description).toBe(
    'Diagnosis by extractive, keys by prompted(small (q8))/compact, judged by prompted(large)/full, searches by extractive.',
  );
});

test('one model that writes and judges is told apart from two', () => {
  expect(sameModel(large)).toBe(true);
  expect(sameModel(small)).toBe(false);
  expect(sameModel(rules)).toBe(false);
  expect(sameModel({ reviser: small.reviser, judge: large.judge })).toBe(false);
  expect(modelOf(small.reviser.id)).toBe('small (q8)');
});

test('other reading lengths are other rules: the id tells', () => {
  expect(rules.reviser.id).toBe('extractive');
  expect(extractiveRoles({ embedderWords: Infinity }).reviser.id).not.toBe('extractive');
});

test('a model that has a say among other judges is told too, by the ids of a report', () => {
  const claims = claimsJudge(new FakeLanguageModel({ id: 'large' }));
  const judge = combineJudges([rules.judge, claims]);
  expect(sameModel({ reviser: large.reviser, judge: claims })).toBe(true);
  expect(sameModel({ reviser: large.reviser, judge })).toBe(true);
  expect(sameModel({ reviser: small.reviser, judge })).toBe(false);
  const ids = { reviser: large.reviser.id, judge: 'combined(rules & claims(large)/full)' };
  expect(whoJudges(ids)).toEqual({ generator: 'prompted(large)/full', judge: judge.id, sameModel: true });
  expect(whoJudgesInWords(whoJudges(ids))).toContain('judging its own work');
  expect(whoJudgesInWords(whoJudges({ ...ids, judge: 'rules' }))).toBe(
    'Keys written by prompted(large)/full, judged by rules.',
  );
});

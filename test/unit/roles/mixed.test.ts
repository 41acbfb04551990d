import { expect, test } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import { extractiveRoles } from '../../../src/roles/extractive/roles.ts';
import { combineRoles, modelOf, sameModel } from '../../../src/roles/mixed.ts';
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

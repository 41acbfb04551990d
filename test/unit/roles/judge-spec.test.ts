import { expect, test } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { judgePartName, parseJudgeSpec } from '../../../src/roles/judges/spec.ts';

test('one judge, or several in their order', () => {
  expect(parseJudgeSpec('rules')).toEqual([{ kind: 'rules' }]);
  expect(parseJudgeSpec('model')).toEqual([{ kind: 'prompted' }]);
  const parts = parseJudgeSpec('rules + roundtrip:dense+claims+roundtrip+nli:a/b-1');
  expect(parts).toEqual([
    { kind: 'rules' },
    { kind: 'roundtrip', by: 'dense' },
    { kind: 'claims' },
    { kind: 'roundtrip' },
    { kind: 'nli', model: 'a/b-1' },
  ]);
  expect(parts.map(judgePartName).join('+')).toBe('rules+roundtrip:dense+claims+roundtrip+nli:a/b-1');
});

test.each([
  ['', 'a name is missing'],
  ['rules+', 'a name is missing'],
  ['oracle', 'no judge named "oracle"'],
  ['Rules', 'no judge named'],
  ['roundtrip:hybrid', 'no judge named'],
  ['rules+embedder+rules', 'rules is named twice'],
  ['crossencoder', 'needs the folder'],
  ['nli:../secret', 'needs the folder'],
  ['nlix:m', 'no judge named'],
  ['model+prompted', 'prompted is named twice'],
])('%j is refused: %s', (spec, why) => {
  const parse = () => parseJudgeSpec(spec);
  expect(parse).toThrow(SelfIndexError);
  expect(parse).toThrow(why);
  expect(parse).toThrow('joined by +');
});

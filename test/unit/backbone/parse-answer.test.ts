import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../../src/backbone/parse-answer.ts';
import type { JsonSchema } from '../../../src/base/json.ts';

const schema: JsonSchema = {
  type: 'object',
  properties: { keep: { type: 'array', items: { type: 'integer' } }, revised: { type: 'array' } },
  required: ['keep', 'revised'],
  additionalProperties: false,
};
const fits = { keep: [1], revised: ['how to }close{ an "account"'] };

describe('finding the JSON of an answer', () => {
  it.each([
    ['alone', JSON.stringify(fits)],
    ['after words', `Sure! Here it is:\n${JSON.stringify(fits)}\nAnything else?`],
    ['in a fence', '```json\n' + JSON.stringify(fits, null, 2) + '\n```'],
    ['in a fence without a language', '```\n' + JSON.stringify(fits) + '\n```'],
    ['after JSON that does not fit', `{"keep": "none"} and then ${JSON.stringify(fits)}`],
    ['after a bracket that never closes', `I kept [1 and so: ${JSON.stringify(fits)}`],
    ['after thinking aloud', `<think>maybe {"keep": [9], "revised": []}</think>${JSON.stringify(fits)}`],
  ])('%s', (_, text) => {
    expect(parseAnswer(text, schema)).toEqual({ value: fits });
  });

  it('takes what stands inside a wrapper that does not fit', () => {
    expect(parseAnswer(`{"answer": ${JSON.stringify(fits)}}`, schema)).toEqual({ value: fits });
  });

  it('leaves text without a schema as it is', () => {
    expect(parseAnswer(' two\nlines ')).toEqual({ value: ' two\nlines ' });
    expect(parseAnswer('')).toEqual({ value: '' });
  });

  it('says which place does not fit', () => {
    const answer = parseAnswer('{"keep": ["one"], "revised": []}', schema);
    expect(answer).toMatchObject({
      value: undefined,
      problem: expect.stringContaining('#/keep/0') as string,
    });
  });

  it.each([
    '',
    'no',
    '{',
    '{"keep": [1], "rev',
    '[',
    '}{',
    '"',
    '{'.repeat(50_000),
    '[1,]',
    'null',
    '\ud800{',
    '{"keep":[1],"revised":[]',
  ])('has a problem in words for %j', (text) => {
    const answer = parseAnswer(text.slice(0, 60_000), schema);
    expect(answer).toMatchObject({ value: undefined, problem: expect.any(String) as string });
  });

  it('refuses an answer of absurd length at once', () => {
    expect(parseAnswer('['.repeat(2_000_000), schema).value).toBeUndefined();
  });

  it('does not follow a value named __proto__', () => {
    const answer = parseAnswer<object>('{"keep": [], "revised": [], "__proto__": {"keep": [1]}}', schema);
    expect(answer.value).toBeUndefined();
    expect(({} as { keep?: unknown }).keep).toBeUndefined();
  });
});

it('never throws, whatever the text', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', 'a', '`', '\ud800', ' '),
      }),
      (text) => {
        const answer = parseAnswer(text, schema);
        expect(answer.value === undefined).toBe('problem' in answer);
      },
    ),
    { numRuns: 300 },
  );
});

it('finds any fitting value again between words without brackets', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'Z', ' ', '\n', '"', ':', '.', 'é') });
  fc.assert(
    fc.property(
      words,
      words,
      fc.array(fc.integer()),
      fc.array(fc.string()),
      (before, after, keep, revised) => {
        const text = `${before}${JSON.stringify({ keep, revised })}${after}`;
        expect(parseAnswer(text, schema).value).toEqual(JSON.parse(JSON.stringify({ keep, revised })));
      },
    ),
    { numRuns: 200 },
  );
});

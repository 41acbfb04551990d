import { expect, it } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import { testPromptStyle } from '../../../src/roles/prompted/self-test.ts';

const solutions = [[1, 2], [3], [2], [1, 3]];
const answering = (answers: readonly (readonly number[] | string)[]) =>
  new FakeLanguageModel({
    answer: (_, { place }) => {
      const answer = answers[place];
      return typeof answer === 'string' ? answer : { answered: [...answer] };
    },
  });

it.each([
  ['all right', solutions, 'full', 4],
  ['in another order, and twice', [[2, 1], [3, 3], [2], [3, 1]], 'full', 4],
  ['one wrong', [[1], [3], [2], [1, 3]], 'full', 3],
  ['two wrong', [[1], [3], [2], [1]], 'compact', 2],
  [
    'everything, each time',
    [
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ],
    'compact',
    0,
  ],
  ['no JSON', ['yes', '', 'The first.', '1, 3'], 'compact', 0],
] as const)('%s', async (_, answers, style, right) => {
  expect(await testPromptStyle(answering(answers))).toEqual({ style, right, of: 4 });
});

it('is one call, short and greedy', async () => {
  const model = answering(solutions);
  await testPromptStyle(model);
  expect(model.calls).toHaveLength(1);
  for (const { messages, temperature, maxTokens } of model.calls[0]) {
    expect(messages[0].content.length).toBeLessThan(500);
    expect(temperature ?? 0).toBe(0);
    expect(maxTokens).toBeLessThan(64);
  }
});

it('throws what the model throws', async () => {
  const model = new FakeLanguageModel({
    answer: () => {
      throw new Error('broken');
    },
  });
  await expect(testPromptStyle(model)).rejects.toThrow('broken');
});

import { expect, it } from 'vitest';
import { connectModel } from '../../../src/backbone/worker-model.ts';
import { generatorWorker, needModel } from '../fixtures/models.ts';

const model = 'SmolLM2-135M-Instruct';

/** One test for all, because a load is most of the time: what a small machine can do in some seconds. */
it('the real 135M model writes, chooses, and repeats itself', async (context) => {
  await needModel(context, model);
  const generator = await connectModel(generatorWorker(), { model });
  expect(generator.id).toMatch(/^SmolLM2-135M-Instruct@[0-9a-f]{16}\/q8\/wasm$/);
  expect(generator).toMatchObject({
    contextTokens: 4096,
    batchSize: 8,
    batchSensitive: true,
    promptStyle: 'compact',
  });

  const ask = (content: string) => ({ messages: [{ role: 'user', content }] as const, maxTokens: 12 });
  const requests = [ask('What is the capital of France?'), ask('Say the word "yes".')];
  const answers = await generator.complete<string>(requests);
  expect(answers[0].text).toContain('Paris');
  for (const { text, usage } of answers) {
    expect(text).not.toContain('<|');
    expect(usage.outputTokens).toBeLessThanOrEqual(12);
    // 29 tokens of system prompt and template stand around every question.
    expect(usage.inputTokens).toBeGreaterThan(29);
  }
  const again = await generator.complete<string>(requests);
  expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));

  const properties = { capital: { type: 'string', maxLength: 20 }, sure: { type: 'boolean' } };
  const schema = {
    type: 'object',
    properties,
    required: ['capital', 'sure'],
    additionalProperties: false,
  };
  expect(generator.schemas).toBe('enforced');
  const [filled] = await generator.complete<{ readonly capital: string }>([
    { ...ask('What is the capital of France? Answer as JSON.'), schema, maxTokens: 40 },
  ]);
  expect(filled.problem, filled.text).toBeUndefined();
  expect(filled.value?.capital).toContain('Paris');

  const choice = (content: string) => ({
    messages: [{ role: 'user' as const, content }],
    options: ['A', 'B'],
  });
  const [first] = (await generator.choose?.([choice('Answer with A or B.')])) ?? [];
  const [, second] =
    (await generator.choose?.([choice('Another one.'), choice('Answer with A or B.')])) ?? [];
  expect(second.probabilities).toEqual(first.probabilities);
  expect(first.probabilities[0] + first.probabilities[1]).toBeCloseTo(1, 5);
});

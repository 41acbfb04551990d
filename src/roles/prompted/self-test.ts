import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import type { JsonSchema } from '../../base/json.ts';

/** What a self-test found: how a model is best asked. */
export interface SelfTest {
  readonly style: LanguageModel['promptStyle'];
  /** Tasks done right, of `of`. */
  readonly right: number;
  readonly of: number;
}

/** Right by chance is one of seven; three of four, one time in a hundred. */
const needed = 3;

/** A text, keys of which it answers some, and the numbers of those. */
const tasks: readonly (readonly [text: string, keys: readonly string[], answered: readonly number[]])[] = [
  [
    'The ferry to the island leaves at nine in the morning and costs four euros.',
    ['When does the ferry leave?', 'What does the ferry cost?', 'Who painted the bridge?'],
    [1, 2],
  ],
  [
    'To reset the router, hold the red button for ten seconds.',
    ['What is the colour of the cable?', 'How many users does it serve?', 'How is the router reset?'],
    [3],
  ],
  [
    'The orchard was planted in 1911. Its oldest trees bear pears.',
    ['Who owns the orchard?', 'What do the oldest trees bear?', 'How large is the orchard?'],
    [2],
  ],
  [
    'Dr. Amara Obi leads the laboratory in Lagos; it studies malaria.',
    ['Who leads the laboratory?', 'When was the laboratory founded?', 'What does the laboratory study?'],
    [1, 3],
  ],
];

const schema: JsonSchema = {
  type: 'object',
  properties: {
    answered: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 3 }, maxItems: 3 },
  },
  required: ['answered'],
  additionalProperties: false,
};

/**
 * Asks a model four small things of the kind that `full` prompts ask all the time: numbers of keys, in a schema. A model that
 * gets fewer than three right is asked for plain lines instead (`compact`), and rules diagnose.
 *
 * @throws what the model throws
 */
export async function testPromptStyle(model: LanguageModel, signal?: AbortSignal): Promise<SelfTest> {
  const answers = await model.complete<{ readonly answered: readonly number[] }>(
    tasks.map(requestOf),
    signal,
  );
  const right = answers.filter(({ value }, task) => {
    const numbers = [...new Set(value?.answered)].sort();
    return numbers.join() === tasks[task][2].join();
  }).length;
  return { style: right >= needed ? 'full' : 'compact', right, of: tasks.length };
}

function requestOf([text, keys]: (typeof tasks)[number]): CompletionRequest {
  const list = keys.map((key, i) => `${i + 1}. ${key}`).join('\n');
  const content = `Text: ${text}\n\nQuestions:\n${list}\n\nWhich of the questions does the text answer? Reply with their numbers as JSON: {"answered": [numbers]}`;
  return { messages: [{ role: 'user', content }], schema, maxTokens: 48 };
}

import { ask } from '../../backbone/ask.ts';
import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import type { JsonSchema } from '../../base/json.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import { failed, succeeded } from '../outcome.ts';
import type { Judge, JudgeTask, Outcome } from '../types.ts';
import { asLine, dataRule, PromptBuilder } from './data.ts';

interface ScoresAnswer {
  readonly scores: readonly {
    readonly key: number;
    readonly score: FaithfulnessScore['score'];
    readonly reason: string;
  }[];
}

const scale: JsonSchema = { type: 'integer', enum: [0, 1, 2, 3] };

export const faithfulnessSchema: JsonSchema = {
  type: 'object',
  properties: {
    scores: {
      type: 'array',
      items: {
        type: 'object',
        properties: { key: { type: 'integer' }, reason: { type: 'string' }, score: scale },
        required: ['key', 'reason', 'score'],
        additionalProperties: false,
      },
    },
  },
  required: ['scores'],
  additionalProperties: false,
};

export const answerabilitySchema: JsonSchema = {
  type: 'object',
  properties: { score: scale },
  required: ['score'],
  additionalProperties: false,
};

const system =
  'You check the work of a search engine, strictly and without favour. You compare texts with a document and judge by ' +
  `what the document says, not by what you know. ${dataRule}`;

const scaleText = `3: the document gives all of it, plainly
2: the document gives the main part of it
1: the document is about the subject but does not give it, or the text claims something that the document does not say
0: the document has nothing to do with it`;

const keysTask = `Each numbered text stands for a need with which people may come to this document. Does the document serve that need?
${scaleText}
Score every text, each for itself. Answer with JSON: {"scores": [{"key": NUMBER, "reason": "a few words", "score": 0 to 3}]}.`;

const queryTask = `Somebody searches for this. Does the document hold what answers the search?
${scaleText}
Answer with JSON: {"score": 0 to 3}.`;

/** A language model as judge: all keys of a document in one call, answerability one call a pair (paper, A.1.4 and A.2.2). */
export function createFullJudge(model: LanguageModel): Judge {
  return {
    id: `prompted(${model.id})/full`,
    async faithfulness(tasks, _view, signal) {
      const asked = tasks.filter((task) => task.keys.length > 0);
      const requests = asked.map((task) => faithfulnessRequest(task, model.contextTokens));
      const answers = await ask<ScoresAnswer>(model, requests, signal);
      const byTask = new Map(asked.map((task, i) => [task, answers[i]]));
      return tasks.map((task): Outcome<FaithfulnessScore[]> => {
        const answer = byTask.get(task);
        if (answer === undefined) return succeeded([]);
        if (!answer.ok) return answer;
        const scores = resolveScores(answer.value, task.keys.length);
        return scores === null
          ? failed('The judge scored none of the keys.', answer.usage)
          : succeeded(scores, answer.usage);
      });
    },
    async answerability(pairs, _view, signal) {
      const requests = pairs.map((pair) => answerabilityRequest(pair, model.contextTokens));
      const answers = await ask<{ score: FaithfulnessScore['score'] }>(model, requests, signal);
      return answers.map((answer) => (answer.ok ? succeeded(answer.value.score, answer.usage) : answer));
    },
  };
}

export function faithfulnessRequest(task: JudgeTask, contextTokens: number): CompletionRequest {
  const user = new PromptBuilder(contextTokens)
    .document(task.documentText)
    .list(
      'TEXTS',
      task.keys.map((key, i) => `${i + 1}: ${asLine(key.text, 1000)}`),
    )
    .say(keysTask)
    .user();
  const maxTokens = 60 + 50 * task.keys.length;
  return { messages: [{ role: 'system', content: system }, user], schema: faithfulnessSchema, maxTokens };
}

export function answerabilityRequest(
  pair: { readonly documentText: string; readonly query: string },
  contextTokens: number,
): CompletionRequest {
  const user = new PromptBuilder(contextTokens)
    .document(pair.documentText)
    .list('SEARCH', [asLine(pair.query)])
    .say(queryTask)
    .user();
  return {
    messages: [{ role: 'system', content: system }, user],
    schema: answerabilitySchema,
    maxTokens: 30,
  };
}

/** One score per key; of two for one key the lower counts, a key without a score has 0; null where nothing was scored. */
export function resolveScores(answer: ScoresAnswer, count: number): FaithfulnessScore[] | null {
  const given = new Map<number, FaithfulnessScore>();
  for (const { key, score, reason } of answer.scores) {
    if (key < 1 || key > count) continue;
    const before = given.get(key);
    if (before === undefined || score < before.score) given.set(key, { score, reason: asLine(reason) });
  }
  if (given.size === 0) return null;
  return Array.from(
    { length: count },
    (_, i) => given.get(i + 1) ?? { score: 0, reason: 'The judge gave it no score.' },
  );
}

import { ask } from '../../backbone/ask.ts';
import { addUsage } from '../../keys/usage.ts';
import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import { sha256Hex } from '../../base/hash.ts';
import type { JsonSchema } from '../../base/json.ts';
import { normaliseKeyText } from '../../keys/normalise.ts';
import { failed, succeeded } from '../outcome.ts';
import type { Outcome, SimulationTask, Simulator } from '../types.ts';
import { asLine, dataRule, PromptBuilder } from './data.ts';

const longestQuery = 300;
/** Some variety, so that a document drawn twice is asked about in two ways. */
const temperature = 0.7;

export const problemSchema: JsonSchema = {
  type: 'object',
  properties: { problem: { type: 'string' } },
  required: ['problem'],
  additionalProperties: false,
};

export const queriesSchema: JsonSchema = {
  type: 'object',
  properties: { queries: { type: 'array', items: { type: 'string' } } },
  required: ['queries'],
  additionalProperties: false,
};

const abstractSystem =
  'You find out what a document is good for. You name the need that would bring somebody to it, in plain words. ' +
  dataRule;

const abstractTask = `In one or two sentences: what does somebody have to know, decide or do, for whom this document would be the answer? Use everyday words of the document's language. Do not use its title, its names, its terms of art, or phrases from it, and do not give the answer.
Answer with JSON: {"problem": "…"}.`;

const querySystem =
  'You are somebody with a problem who searches for help and has read nothing about it yet. ' + dataRule;

function queryTask(count: number): string {
  return `Write ${count} different ${count === 1 ? 'search' : 'searches'} that you would type into a search box for this problem: natural, some short, some whole questions, in the language of the problem. Answer with JSON: {"queries": ["…"]}.`;
}

/** Algorithm 3's two calls: the first abstracts the need behind a document, the second never sees the document. */
export function createFullSimulator(model: LanguageModel): Simulator {
  return {
    id: `prompted(${model.id})/full`,
    async simulate(tasks, _view, signal) {
      const first = await ask<{ problem: string }>(
        model,
        tasks.map((task) => problemRequest(task, model.contextTokens)),
        signal,
      );
      const problems = first.map((answer) => (answer.ok ? asLine(answer.value.problem, 800) : ''));
      const open = tasks.map((_, i) => i).filter((i) => problems[i] !== '');
      const second = await ask<{ queries: string[] }>(
        model,
        open.map((i) => queriesRequest(problems[i], tasks[i], model.contextTokens)),
        signal,
      );
      return tasks.map((task, i): Outcome<string[]> => {
        const abstraction = first[i];
        if (!abstraction.ok) return abstraction;
        const answer = second[open.indexOf(i)] as (typeof second)[number] | undefined;
        if (answer === undefined) return failed('The first call named no problem.', abstraction.usage);
        const usage = addUsage(abstraction.usage, answer.usage);
        if (!answer.ok) return { ...answer, usage };
        const queries = distinctQueries(answer.value.queries).slice(0, task.count);
        return queries.length > 0 ? succeeded(queries, usage) : failed('The answer holds no search.', usage);
      });
    },
  };
}

export function problemRequest(task: SimulationTask, contextTokens: number): CompletionRequest {
  const text = task.title === undefined ? task.text : `${task.title}\n${task.text}`;
  const user = new PromptBuilder(contextTokens).document(text).say(abstractTask).user();
  return {
    messages: [{ role: 'system', content: abstractSystem }, user],
    schema: problemSchema,
    maxTokens: 160,
    temperature,
    seed: seedOf(task),
  };
}

export function queriesRequest(
  problem: string,
  task: SimulationTask,
  contextTokens: number,
): CompletionRequest {
  const user = new PromptBuilder(contextTokens).list('PROBLEM', [problem]).say(queryTask(task.count)).user();
  return {
    messages: [{ role: 'system', content: querySystem }, user],
    schema: queriesSchema,
    maxTokens: 40 + 40 * task.count,
    temperature,
    seed: seedOf(task),
  };
}

/** A number below 2³¹ from the task's seed. */
export function seedOf(task: SimulationTask): number {
  return Number.parseInt(sha256Hex(task.seed).slice(0, 8), 16) >>> 1;
}

export function distinctQueries(texts: readonly string[]): string[] {
  const seen = new Set(['']);
  return texts
    .map((text) => asLine(text, longestQuery))
    .filter((text) => {
      const form = normaliseKeyText(text);
      return seen.has(form) ? false : seen.add(form);
    });
}

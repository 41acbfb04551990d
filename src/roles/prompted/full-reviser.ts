import { ask } from '../../backbone/ask.ts';
import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import type { JsonSchema } from '../../base/json.ts';
import { normaliseKeyText } from '../../keys/normalise.ts';
import { wholeKeySet, type Proposal, type ProposedKey } from '../../keys/types.ts';
import { failed, succeeded } from '../outcome.ts';
import type { Outcome, Reviser, RevisionTask } from '../types.ts';
import { asLine, dataRule, PromptBuilder } from './data.ts';

const longestKey = 1000;
const shownCompetitors = 12;

interface RevisionAnswer {
  readonly keep: readonly number[];
  readonly revised: readonly string[];
}

export const revisionSchema: JsonSchema = {
  type: 'object',
  properties: {
    keep: { type: 'array', items: { type: 'integer' } },
    revised: { type: 'array', items: { type: 'string' } },
  },
  required: ['keep', 'revised'],
  additionalProperties: false,
};

const system =
  'You write index keys for a search engine: texts through which one document is found by people who need it and do not ' +
  `know its words. ${dataRule}`;

function taskText(limit: number): string {
  return `Decide anew which keys this document has beside its own text, at most ${limit}:
- "keep": numbers of keys above that should stay as they are;
- "revised": texts of new or rewritten keys. A key that is neither kept nor rewritten is deleted.
Each key states a need that this document serves, in the words of people who have that need; any form and length that serves (a question, a description, a few names). It must be true of this document and say nothing that the document does not; it must tell this document from the others listed. Write in the language of the document.
Answer with JSON: {"keep": [NUMBERS], "revised": ["…", "…"]}.`;
}

/** Revision of the whole generated set by a language model (paper, A.1.3). */
export function createFullReviser(model: LanguageModel): Reviser {
  return {
    id: `prompted(${model.id})/full`,
    async revise(tasks, _view, signal) {
      const requests = tasks.map((task) => revisionRequest(task, model.contextTokens));
      const answers = await ask<RevisionAnswer>(model, requests, signal);
      return answers.map((answer, i): Outcome<Proposal> => {
        if (!answer.ok) return answer;
        const proposal = resolveRevision(answer.value, tasks[i]);
        return proposal.keep.length + proposal.revised.length === 0
          ? failed('The answer keeps nothing and writes nothing.', answer.usage)
          : succeeded(proposal, answer.usage);
      });
    },
  };
}

export function revisionRequest(task: RevisionTask, contextTokens: number): CompletionRequest {
  const { record, diagnosis, competitors, limit } = task;
  const causes = new Map(diagnosis.shortfalls.map((shortfall) => [shortfall.key, asLine(shortfall.cause)]));
  const keys = record.keys.generated.map((key, i) => {
    const cause = causes.get(key.id);
    return `${i + 1}: ${asLine(key.text)}${cause === undefined ? '' : ` [shortfall: ${cause}]`}`;
  });
  const general = [
    causes.get(wholeKeySet),
    causes.get(record.keys.original.id),
    asLine(diagnosis.revision, 1000),
  ];
  const user = new PromptBuilder(contextTokens)
    .document(record.keys.original.text)
    .list('KEYS', keys, 'none yet')
    .list(
      'GUIDANCE',
      general.filter((line): line is string => line !== undefined && line !== ''),
    )
    .list(
      'KEYS OF OTHER DOCUMENTS',
      competitors.slice(0, shownCompetitors).map((text) => asLine(text, 200)),
    )
    .say(taskText(limit))
    .user();
  return { messages: [{ role: 'system', content: system }, user], schema: revisionSchema, maxTokens: 900 };
}

/** Numbers that name no key, repeated numbers, empty and repeated texts are dropped; at most `limit` stand. */
export function resolveRevision(answer: RevisionAnswer, { record, limit }: RevisionTask): Proposal {
  const { generated, original } = record.keys;
  const numbers = new Set(answer.keep.filter((number) => number >= 1 && number <= generated.length));
  const keep = [...numbers].map((number) => generated[number - 1].id).slice(0, limit);
  const seen = new Set(['', normaliseKeyText(original.text)]);
  const revised = answer.revised
    .map((text): ProposedKey => ({ text: asLine(text, longestKey), form: formOf(text) }))
    .filter(({ text }) => {
      const form = normaliseKeyText(text);
      return seen.has(form) ? false : seen.add(form);
    });
  return { keep, revised: revised.slice(0, limit - keep.length) };
}

/** How people will see a written key named. */
export function formOf(text: string): ProposedKey['form'] {
  return /[?？؟]\s*$/u.test(text) ? 'question' : 'description';
}

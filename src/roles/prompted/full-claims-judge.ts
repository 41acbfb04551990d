import { ask } from '../../backbone/ask.ts';
import type { CompletionRequest, LanguageModel } from '../../backbone/types.ts';
import type { JsonSchema } from '../../base/json.ts';
import type { FaithfulnessScore, ProposedKey } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { supportedBy, supportOf } from '../extractive/support.ts';
import { failed, succeeded } from '../outcome.ts';
import type { Judge, JudgeTask, Outcome } from '../types.ts';
import { asLine, dataRule, PromptBuilder } from './data.ts';
import { createFullJudge } from './full-judge.ts';

interface ClaimsAnswer {
  readonly keys: readonly {
    readonly key: number;
    readonly claims: readonly { readonly claim: string; readonly score: FaithfulnessScore['score'] }[];
  }[];
}

export const claimsSchema: JsonSchema = {
  type: 'object',
  properties: {
    keys: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          key: { type: 'integer' },
          claims: {
            type: 'array',
            items: {
              type: 'object',
              properties: { claim: { type: 'string' }, score: { type: 'integer', enum: [0, 1, 2, 3] } },
              required: ['claim', 'score'],
              additionalProperties: false,
            },
          },
        },
        required: ['key', 'claims'],
        additionalProperties: false,
      },
    },
  },
  required: ['keys'],
  additionalProperties: false,
};

const system =
  'You check what texts claim, strictly and without favour, by what a document says and not by what you know. ' +
  dataRule;

const task = `Take each numbered text apart into its claims: everything that it says or takes for granted, each name, number, date, condition and relation, in its own words, so that no word of the text is left over. A question claims that the document answers it. Then score each claim for itself:
3: the document says it plainly
2: it follows from what the document says
1: the document is about it but does not say it
0: the document does not say it, or says otherwise
Answer with JSON: {"keys": [{"key": NUMBER, "claims": [{"claim": "…", "score": 0 to 3}]}]}.`;

/** Least share of a key's idf mass that its claims must hold, so that none was left out. */
const leastCovered = 0.5;

/**
 * Claim by claim (design.md §5, `faithfulness: 'claims'`): the model takes each key apart and scores every claim, all keys of
 * a document in one call; the weakest claim is the key's score. The taking apart is not trusted: where the claims leave out
 * half of the key's words by weight, or a figure of it, the key scores 0. Searches are judged as `createFullJudge` does.
 */
export function createFullClaimsJudge(model: LanguageModel): Judge {
  const searches = createFullJudge(model);
  return {
    id: `claims(${model.id})/full`,
    async faithfulness(tasks, view, signal) {
      const asked = tasks.filter(({ keys }) => keys.length > 0);
      const requests = asked.map((one) => claimsRequest(one, model.contextTokens));
      const answers = await ask<ClaimsAnswer>(model, requests, signal);
      const byTask = new Map(asked.map((one, i) => [one, answers[i]]));
      return tasks.map((one): Outcome<FaithfulnessScore[]> => {
        const answer = byTask.get(one);
        if (answer === undefined) return succeeded([]);
        if (!answer.ok) return answer;
        const scores = resolveClaims(answer.value, one.keys, view);
        return scores === null
          ? failed('The judge took none of the keys apart.', answer.usage)
          : succeeded(scores, answer.usage);
      });
    },
    answerability: (pairs, view, signal) => searches.answerability(pairs, view, signal),
  };
}

export function claimsRequest({ documentText, keys }: JudgeTask, contextTokens: number): CompletionRequest {
  const user = new PromptBuilder(contextTokens)
    .document(documentText)
    .list(
      'TEXTS',
      keys.map((key, i) => `${i + 1}: ${asLine(key.text, 1000)}`),
    )
    .say(task)
    .user();
  const maxTokens = 60 + 120 * keys.length;
  return { messages: [{ role: 'system', content: system }, user], schema: claimsSchema, maxTokens };
}

/** One score per key, that of its weakest claim; a key without claims has 0; null where no key has any. */
export function resolveClaims(
  answer: ClaimsAnswer,
  keys: readonly Pick<ProposedKey, 'text'>[],
  view: CollectionView,
): FaithfulnessScore[] | null {
  const claims = keys.map((_, i) =>
    answer.keys
      .filter(({ key }) => key === i + 1)
      .flatMap((one) => one.claims)
      .filter(({ claim }) => claim.trim() !== ''),
  );
  if (claims.every((ofKey) => ofKey.length === 0)) return null;
  return keys.map((key, i): FaithfulnessScore => {
    if (claims[i].length === 0) return { score: 0, reason: 'The judge took it not apart.' };
    const said = supportedBy(claims[i].map(({ claim }) => claim).join('. '), view);
    const covered = supportOf(key.text, said, view);
    if (covered.share < leastCovered || covered.numbers.length > 0)
      return {
        score: 0,
        reason: `Its claims leave out ${asLine(covered.lacking.join(', ')) || 'most of it'}.`,
      };
    const weakest = claims[i].reduce((least, one) => (one.score < least.score ? one : least));
    return {
      score: weakest.score,
      reason: `Least supported of ${claims[i].length}: “${asLine(weakest.claim, 120)}”.`,
    };
  });
}

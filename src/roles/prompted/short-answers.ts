import { ask, usageOf } from '../../backbone/ask.ts';
import type { LanguageModel, Message } from '../../backbone/types.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import { failed, succeeded } from '../outcome.ts';
import type { Outcome } from '../types.ts';

/** How a question that a small model answers in one token becomes a score. */
export interface ShortQuestion {
  readonly options: readonly string[];
  /** Of the probabilities of the options. */
  readonly scoreOf: (probabilities: Float32Array) => FaithfulnessScore;
  /** Of a written answer; undefined where it is none. */
  readonly read: (answer: string) => FaithfulnessScore | undefined;
  /** What is wrong with a written answer that is none. */
  readonly problem: string;
}

/** Scores read off the logits in one pass where the runtime can, else off a few written tokens. */
export async function answerShortly(
  model: LanguageModel,
  { options, scoreOf, read, problem }: ShortQuestion,
  prompts: readonly Message[][],
  signal?: AbortSignal,
): Promise<Outcome<FaithfulnessScore>[]> {
  if (prompts.length === 0) return [];
  if (model.choose) {
    const choices = await model.choose(
      prompts.map((messages) => ({ messages, options })),
      signal,
    );
    return choices.map((choice) => succeeded(scoreOf(choice.probabilities), usageOf(choice)));
  }
  const answers = await ask<string>(
    model,
    prompts.map((messages) => ({ messages, maxTokens: 4 })),
    signal,
  );
  return answers.map((answer): Outcome<FaithfulnessScore> => {
    if (!answer.ok) return answer;
    const score = read(answer.value);
    return score === undefined ? failed(problem, answer.usage) : succeeded(score, answer.usage);
  });
}

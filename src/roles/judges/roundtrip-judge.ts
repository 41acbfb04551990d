import { SelfIndexError } from '../../base/errors.ts';
import type { FaithfulnessScore } from '../../keys/types.ts';
import type { Retriever } from '../../retrieve/types.ts';
import { succeeded } from '../outcome.ts';
import type { Judge } from '../types.ts';

/** A collection's original texts under a retriever that is not the one which evolves. */
export interface SecondRetriever {
  /** Names retriever and collection: part of the judge's id, and so of what cached scores depend on. */
  readonly id: string;
  /** Documents in it. */
  readonly size: number;
  readonly rivals: Retriever['rivals'];
}

export interface RoundtripOptions {
  /** r: a text passes that finds its document among the first r. Default 30, at most a tenth of the collection. */
  readonly depth?: number;
}

const defaultDepth = 30;

/**
 * A text as a query must find its own document among the first r originals, by a retriever that is not the one which
 * evolves: a key that only pleases its own retriever fails. Rank 1 is the best; of equal scores the document counts as last.
 *
 * | rank         | score |
 * | ------------ | ----- |
 * | to ⌈r / 10⌉  | 3     |
 * | to r         | 2     |
 * | to 3 r       | 1     |
 * | beyond       | 0     |
 *
 * The collection's own text of the document is searched, whatever `documentText` a task has. Costs no call of a model.
 * @throws SelfIndexError `invalid-argument` for a depth that is no whole number above 0; `document-not-found` for a document
 *   that the retriever does not hold
 */
export function createRoundtripJudge(second: SecondRetriever, { depth }: RoundtripOptions = {}): Judge {
  if (depth !== undefined && !(Number.isInteger(depth) && depth > 0))
    throw new SelfIndexError(
      'invalid-argument',
      `The depth of a round trip is a whole number above 0; it is ${depth}.`,
    );
  const r = depth ?? Math.max(1, Math.min(defaultDepth, Math.floor(second.size / 10)));
  const verdicts = async (
    pairs: readonly { readonly query: string; readonly documentId: string }[],
    signal?: AbortSignal,
  ): Promise<FaithfulnessScore[]> => {
    if (pairs.length === 0) return [];
    const rivals = await second.rivals(pairs, signal);
    return Array.from(rivals, (count) => verdict(count + 1, r));
  };
  return {
    id: `roundtrip(${second.id} r=${r})`,
    async faithfulness(tasks, _view, signal) {
      const pairs = tasks.flatMap(({ documentId, keys }) =>
        keys.map((key) => ({ query: key.text, documentId })),
      );
      const scores = await verdicts(pairs, signal);
      let next = 0;
      return tasks.map(({ keys }) => succeeded(scores.slice(next, (next += keys.length))));
    },
    async answerability(pairs, _view, signal) {
      const scores = await verdicts(pairs, signal);
      return scores.map(({ score }) => succeeded(score));
    },
  };
}

function verdict(rank: number, r: number): FaithfulnessScore {
  const score = rank <= Math.ceil(r / 10) ? 3 : rank <= r ? 2 : rank <= 3 * r ? 1 : 0;
  return {
    score,
    value: -rank,
    reason: `As a search it finds its document at rank ${rank}; ${r} is needed to pass.`,
  };
}

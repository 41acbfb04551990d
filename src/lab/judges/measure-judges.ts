import { SelfIndexError } from '../../base/errors.ts';
import { makeJudge, type JudgeParts } from '../../evolve/make-judge.ts';
import { retrieverOverOriginals } from '../../evolve/originals.ts';
import type { IndexState } from '../../evolve/state.ts';
import { passingScore } from '../../evolve/validate.ts';
import { addUsage, noUsage } from '../../keys/usage.ts';
import { parseJudgeSpec } from '../../roles/judges/spec.ts';
import type { Judge } from '../../roles/types.ts';
import type { Collection } from '../collection.ts';
import type { LabProgress } from '../types.ts';
import { agreementOf, type Agreement, type JudgedPair } from './agreement.ts';
import { balancedPairs, type TruePair } from './pairs.ts';

/** One judge against the judgements of a collection. */
export interface JudgeReport extends Agreement {
  /** As given to `--judges`. */
  readonly name: string;
  readonly id: string;
  /** Calls of a language model, their tokens, and the time that they took. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
}

export interface JudgesExperiment {
  readonly collection: Collection;
  /** The collection, without any key but the originals. */
  readonly state: IndexState;
  readonly means: JudgeParts;
  /** Specs, as `parseJudgeSpec` reads them. */
  readonly judges: readonly string[];
  readonly pairs: number;
  readonly seed: number;
  readonly onProgress?: (progress: LabProgress) => void;
}

/** Documents of the first search from which irrelevant ones are drawn. */
export const negativesFrom = 30;
/** Pairs judged between two signs of progress. */
const judgedAtOnce = 8;

/**
 * Every judge on the same pairs (`balancedPairs`, the irrelevant ones from BM25's first 30): the search stands where a key
 * would. No judge has seen the judgements: an embedder's thresholds are set on simulated searches.
 * @throws SelfIndexError `invalid-argument` where the collection gives no pair, or a judge lacks what it needs
 */
export async function measureJudges(experiment: JudgesExperiment): Promise<JudgeReport[]> {
  const { collection, state, means, judges, seed, onProgress } = experiment;
  const pairs = await balancedPairs(collection, {
    pairs: experiment.pairs,
    seed,
    found: (queries) => foundByWords(queries, state),
  });
  if (pairs.length === 0)
    throw new SelfIndexError(
      'invalid-argument',
      'The collection gives no pair: it judges none of its searches.',
    );
  const reports: JudgeReport[] = [];
  for (const name of judges) {
    const judge = await makeJudge(parseJudgeSpec(name), means, state, null);
    const { judged, usage } = await judgePairs(judge, pairs, state, (done) =>
      onProgress?.({ step: `judging by ${name}`, done, total: pairs.length }),
    );
    const { calls, inputTokens, outputTokens, milliseconds } = usage;
    const cost = { calls, inputTokens, outputTokens, seconds: milliseconds / 1000 };
    reports.push({ name, id: judge.id, ...agreementOf(judged, passingScore), ...cost });
  }
  return reports;
}

async function foundByWords(queries: readonly string[], state: IndexState): Promise<string[][]> {
  const bm25 = await retrieverOverOriginals('bm25', state);
  const hits = await bm25.topKeys(queries, negativesFrom);
  await bm25.dispose();
  return hits.map((list) => list.map(({ documentId }) => documentId));
}

async function judgePairs(
  judge: Judge,
  pairs: readonly TruePair[],
  state: IndexState,
  onProgress: (done: number) => void,
) {
  const judged: JudgedPair[] = [];
  let usage = noUsage;
  for (let start = 0; start < pairs.length; start += judgedAtOnce) {
    const part = pairs.slice(start, start + judgedAtOnce);
    const outcomes = await judge.faithfulness(
      part.map(({ documentId, query }) => ({
        documentId,
        documentText: state.keySets.get(documentId)?.original.text ?? '',
        keys: [{ text: query, form: 'search' }],
      })),
      state.view,
    );
    outcomes.forEach((outcome, i) => {
      const { relevant } = part[i];
      usage = addUsage(usage, outcome.usage);
      if (!outcome.ok) return judged.push({ relevant, score: null });
      const { score, value } = outcome.value[0];
      return judged.push({ relevant, score, ...(value !== undefined && { value }) });
    });
    onProgress(judged.length);
  }
  return { judged, usage };
}

import { createRandom } from '../../base/random.ts';
import type { Collection } from '../collection.ts';
import { isRelevant } from '../measures.ts';

/** A search and a document, judged by people. */
export interface TruePair {
  readonly queryId: string;
  readonly query: string;
  readonly documentId: string;
  readonly relevant: boolean;
}

export interface PairOptions {
  /** Pairs at most, both kinds together. */
  readonly pairs: number;
  readonly seed: number;
  /** Documents that a first search finds, best first: where the irrelevant ones are drawn from. */
  readonly found: (queries: readonly string[]) => Promise<readonly (readonly string[])[]>;
}

/**
 * As many pairs of a search with a relevant document as with one that looks relevant and is not (found by the first search,
 * and not judged relevant), drawn at random by the seed. Every search gives one pair of each kind before any gives a second;
 * fewer than wanted where the judgements have no more. Relevant documents that the collection lacks are left out.
 */
export async function balancedPairs(
  { documents, queries, qrels }: Collection,
  { pairs, seed, found }: PairOptions,
): Promise<TruePair[]> {
  const held = new Set(documents.map(({ id }) => id));
  const random = createRandom(`judges/${seed}`);
  const judged = random.shuffle(queries.filter(({ id }) => qrels.has(id)));
  const rankings = await found(judged.map(({ text }) => text));
  const sides = judged.map(({ id }, i) => {
    const judgements = qrels.get(id) ?? new Map<string, number>();
    const draw = createRandom(`judges/${seed}/${id}`);
    const relevant = [...judgements.keys()].filter((doc) => isRelevant(judgements, doc) && held.has(doc));
    const irrelevant = rankings[i].filter((doc) => !isRelevant(judgements, doc));
    return { relevant: draw.shuffle(relevant), irrelevant: draw.shuffle(irrelevant) };
  });
  const result: TruePair[] = [];
  for (let round = 0, before = -1; result.length + 1 < pairs && result.length > before; round++) {
    before = result.length;
    judged.forEach(({ id, text }, i) => {
      const { relevant, irrelevant } = sides[i];
      if (result.length + 1 >= pairs || round >= relevant.length || round >= irrelevant.length) return;
      const pair = { queryId: id, query: text };
      result.push({ ...pair, documentId: relevant[round], relevant: true });
      result.push({ ...pair, documentId: irrelevant[round], relevant: false });
    });
  }
  return result;
}

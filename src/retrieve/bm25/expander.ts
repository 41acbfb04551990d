import { Best } from './best.ts';
import type { Bm25Index } from './bm25-index.ts';
import { withCapacity } from './growable.ts';
import type { Neighbour } from './neighbourhood.ts';

/**
 * The terms of expansion keys (design.md §5): those with the largest idf × weighted mean of ln(1 + tf) in a document's
 * nearest neighbours by BM25, with the document's own text as the query and the neighbours' scores, normalised to sum
 * 1, as weights; ties by term. The document is none of its neighbours, and its own terms are not kept out: of the
 * readings of §5 this one gives the gains that it reports, and damping by the logarithm keeps them where texts are long.
 */
export class Expander {
  private readonly names: readonly string[];
  /** Per term its weighted mean; all zero between documents. */
  private readonly means: Float64Array;
  private met = new Uint32Array(256);

  /** @param index its documents must not change while this is in use */
  constructor(
    private readonly index: Bm25Index,
    /** Per term its idf. */
    private readonly idf: Float64Array,
    private readonly termCount: number,
    private readonly leftOut: ReadonlySet<string>,
  ) {
    this.names = index.vocabulary.terms();
    this.means = new Float64Array(index.vocabulary.size);
  }

  /** Most telling first; none without neighbours. */
  terms(neighbours: readonly Neighbour[]): string[] {
    let total = 0;
    for (const { score } of neighbours) total += score;
    const { rows } = this.index.original;
    const { means, idf } = this;
    let count = 0;
    for (const { document, score } of neighbours) {
      const weight = score / total;
      const end = rows.end(document);
      this.met = withCapacity(this.met, count + end - rows.start(document));
      const { met } = this;
      for (let at = rows.start(document); at < end; at++) {
        const term = rows.terms[at];
        if (means[term] === 0) met[count++] = term;
        means[term] += weight * Math.log1p(rows.frequencies[at]);
      }
    }
    const best = new Best(this.termCount, (term) => this.names[term]);
    for (let i = 0; i < count; i++) {
      const term = this.met[i];
      if (!this.leftOut.has(this.names[term])) best.offer(means[term] * idf[term], term);
      means[term] = 0;
    }
    return best.sorted().map(({ item }) => this.names[item]);
  }
}

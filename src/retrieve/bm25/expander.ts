import { Best } from './best.ts';
import type { Bm25Index } from './bm25-index.ts';
import { withCapacity } from './growable.ts';
import { Bm25Search } from './search.ts';

export interface ExpansionOptions {
  /** Neighbours of a document, itself not among them. Default 10. */
  readonly neighbours?: number;
  /** Terms of a key. Default 40. */
  readonly terms?: number;
}

/** A document near another: its number, and its score for the other's original text. */
export interface Neighbour {
  readonly document: number;
  readonly score: number;
}

/**
 * The terms of expansion keys (design.md §5): those with the largest idf × weighted mean of ln(1 + tf) in a document's
 * nearest neighbours by BM25, with the document's own text as the query and the neighbours' scores, normalised to sum
 * 1, as weights; ties by term. The document is none of its neighbours, and its own terms are not kept out: of the
 * readings of §5 this one gives the gains that it reports, and damping by the logarithm keeps them where texts are long.
 */
export class Expander {
  private readonly search: Bm25Search;
  private readonly names: readonly string[];
  private readonly neighbourCount: number;
  private readonly termCount: number;
  /** ln(1 + tf) of every entry of the rows. */
  private readonly damped: Float64Array;
  /** Per term its weighted mean; all zero between documents. */
  private means: Float64Array;
  private met: Uint32Array;

  /** @param index its documents must not change while this is in use */
  constructor(
    private readonly index: Bm25Index,
    { neighbours = 10, terms = 40 }: ExpansionOptions = {},
  ) {
    this.search = new Bm25Search(index);
    this.names = index.vocabulary.terms();
    this.neighbourCount = neighbours;
    this.termCount = terms;
    const { rows, size } = index.original;
    this.damped = Float64Array.from(rows.frequencies.subarray(0, rows.start(size)), Math.log1p);
    this.means = new Float64Array(index.vocabulary.size);
    this.met = new Uint32Array(256);
  }

  /** Nearest first, ties by id. */
  neighbours(document: number): Neighbour[] {
    return this.search
      .topOriginals(this.index.queryOf(document), this.neighbourCount + 1)
      .filter(({ item }) => item !== document)
      .slice(0, this.neighbourCount)
      .map(({ item, score }) => ({ document: item, score }));
  }

  /** Most telling first; none where the document has no neighbour. */
  terms(document: number): string[] {
    const near = this.neighbours(document);
    const total = near.reduce((sum, { score }) => sum + score, 0);
    const { rows } = this.index.original;
    const { means, damped } = this;
    let count = 0;
    for (const { document: neighbour, score } of near) {
      const weight = score / total;
      this.met = withCapacity(this.met, count + rows.end(neighbour) - rows.start(neighbour));
      for (let at = rows.start(neighbour); at < rows.end(neighbour); at++) {
        const term = rows.terms[at];
        if (means[term] === 0) this.met[count++] = term;
        means[term] += weight * damped[at];
      }
    }
    const best = new Best(this.termCount, (term) => this.names[term]);
    for (let i = 0; i < count; i++) {
      const term = this.met[i];
      best.offer(means[term] * this.index.idf(term), term);
      means[term] = 0;
    }
    return best.sorted().map(({ item }) => this.names[item]);
  }
}

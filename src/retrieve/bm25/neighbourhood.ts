import { compareIds } from '../../base/order.ts';
import type { Bm25Index } from './bm25-index.ts';
import { impact, part } from './formula.ts';
import { Bm25Search } from './search.ts';

/** A document near another: its number, and its score for the other's original text. */
export interface Neighbour {
  readonly document: number;
  readonly score: number;
}

/** What is known of a document's surroundings: the nearest documents, and a bound of the scores of all others. */
export interface Surroundings {
  /** Nearest first, ties by id. */
  readonly nearest: readonly Neighbour[];
  /** No document that is not among them scores more; 0 where none of the others scores at all. */
  readonly bound: number;
}

/** Documents as queries for each other, by BM25 over original texts. The documents must not change while this is in use. */
export class Neighbourhood {
  private readonly search: Bm25Search;
  /** Scores of the admirers of one document; all zero between calls. */
  private readonly scores: Float64Array;
  private readonly met: Uint32Array;

  constructor(
    private readonly index: Bm25Index,
    /** Per term its idf. */
    private readonly idf: Float64Array,
  ) {
    this.search = new Bm25Search(index);
    this.scores = new Float64Array(index.original.size);
    this.met = new Uint32Array(index.original.size);
  }

  /** The `count` documents nearest to one, by a search with its whole text; itself is not among them. */
  find(document: number, count: number): Surroundings {
    const found = this.search.topOriginals(this.index.queryOf(document), count + 1);
    const nearest: Neighbour[] = [];
    for (const { item, score } of found) {
      if (item !== document && nearest.length < count) nearest.push({ document: item, score });
    }
    return { nearest, bound: found.length > count ? found[found.length - 1].score : 0 };
  }

  /** The score of `other` for the text of `document`: to the bit what a search gives it. */
  score(document: number, other: number): number {
    const { rows, norms } = this.index.original;
    const { k1 } = this.index.parameters;
    const { terms, frequencies } = rows;
    const end = rows.end(document);
    const otherEnd = rows.end(other);
    let at = rows.start(document);
    let to = rows.start(other);
    let score = 0;
    while (at < end && to < otherEnd) {
      const difference = terms[at] - terms[to];
      if (difference === 0) {
        score += part(frequencies[at] * this.idf[terms[at]], impact(k1, frequencies[to], norms[other]));
      }
      if (difference <= 0) at++;
      if (difference >= 0) to++;
    }
    return score;
  }

  /** Calls back for every other document for whose text `document` scores. */
  eachAdmirer(document: number, visit: (admirer: number, score: number) => void): void {
    const { rows, norms, postings, alive } = this.index.original;
    const { scores, met } = this;
    let count = 0;
    for (let at = rows.start(document); at < rows.end(document); at++) {
      const term = rows.terms[at];
      const idf = this.idf[term];
      const own = impact(this.index.parameters.k1, rows.frequencies[at], norms[document]);
      const start = postings.starts[term];
      const end = start + postings.count(term);
      for (let i = start; i < end; i++) {
        const admirer = postings.slots[i];
        const more = part(postings.frequencies[i] * idf, own);
        if (scores[admirer] === 0 && more > 0) met[count++] = admirer;
        scores[admirer] += more;
      }
    }
    for (let i = 0; i < count; i++) {
      const admirer = met[i];
      if (alive[admirer] && admirer !== document) visit(admirer, scores[admirer]);
      scores[admirer] = 0;
    }
  }

  /** Surroundings from documents whose scores are known; the bound is raised by those above `count`. */
  settle(known: readonly Neighbour[], bound: number, count: number): Surroundings {
    const scoring = known.filter(({ score }) => score > 0);
    scoring.sort(
      (a, b) =>
        b.score - a.score || compareIds(this.index.documentId(a.document), this.index.documentId(b.document)),
    );
    const cut = scoring.length > count ? scoring[count].score : 0;
    return { nearest: scoring.slice(0, count), bound: Math.max(bound, cut) };
  }
}

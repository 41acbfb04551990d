import type { Bm25Index } from './bm25-index.ts';
import { impact, part } from './formula.ts';
import { frequenciesOf, keyLength } from './term-counts.ts';

interface TextPostings {
  readonly texts: number[];
  readonly impacts: number[];
}

/** rel(query, text) for texts that are not in the index, with the index's statistics. */
export class TextScorer {
  private readonly postings = new Map<string, TextPostings>();
  private count = 0;

  constructor(private readonly index: Bm25Index) {
    index.refresh();
  }

  /** Adds a text to score, as the next column. */
  add(text: string): void {
    const frequencies = frequenciesOf(this.index.analyser, text);
    const norm = this.index.norm(keyLength([...frequencies.values()]));
    for (const [term, frequency] of frequencies) {
      const list = this.postings.get(term) ?? { texts: [], impacts: [] };
      if (list.texts.length === 0) this.postings.set(term, list);
      list.texts.push(this.count);
      list.impacts.push(impact(this.index.parameters.k1, Math.fround(frequency), norm));
    }
    this.count++;
  }

  /** Writes the query's score for every text. */
  score(query: string, row: Float32Array): void {
    const scores = new Float64Array(this.count);
    for (const [term, frequency] of frequenciesOf(this.index.analyser, query)) {
      const list = this.postings.get(term);
      if (!list) continue;
      const weight = frequency * this.index.idf(this.index.vocabulary.find(term));
      for (let i = 0; i < list.texts.length; i++) scores[list.texts[i]] += part(weight, list.impacts[i]);
    }
    row.set(scores);
  }
}

import { compareIds } from '../../../src/base/order.ts';
import type { Analyser } from '../../../src/corpus/types.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import type { Aggregate } from '../../../src/retrieve/types.ts';

/** Words of letters and digits; a word in brackets counts half, so fractional frequencies occur. */
export const wordAnalyser: Analyser = {
  id: 'test-words',
  analyse: (text) =>
    Array.from(text.toLowerCase().matchAll(/\[?([\p{L}\p{N}]+)\]?/gu), (match) => ({
      term: match[1],
      weight: match[0].startsWith('[') ? 0.5 : 1,
      start: match.index,
      end: match.index + match[0].length,
    })),
};

const byScore = <T extends { score: number; id: string }>(a: T, b: T) =>
  b.score - a.score || compareIds(a.id, b.id);

/** BM25 over keys, written down as design.md §3 and §5 say it, with no thought of speed. */
export class ReferenceBm25 {
  private readonly k1 = 0.9;
  private readonly b = 0.4;

  constructor(
    private readonly keys: readonly IndexKey[],
    private readonly analyser: Analyser = wordAnalyser,
  ) {}

  frequencies(key: Pick<IndexKey, 'kind' | 'text'>): Map<string, number> {
    const frequencies = new Map<string, number>();
    if (key.kind === 'expansion') {
      for (const term of key.text.split(' ').filter(Boolean)) frequencies.set(term, 1);
    } else {
      for (const { term, weight } of this.analyser.analyse(key.text)) {
        frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
      }
    }
    return frequencies;
  }

  private get originals(): readonly IndexKey[] {
    return this.keys.filter((key) => key.kind === 'original');
  }

  documentFrequency(term: string): number {
    const holding = (keys: readonly IndexKey[]) =>
      new Set(keys.filter((key) => this.frequencies(key).has(term)).map((key) => key.documentId)).size;
    return holding(this.originals) || holding(this.keys) || 1;
  }

  idf(term: string): number {
    const n = Math.max(1, this.originals.length);
    const df = this.documentFrequency(term);
    return Math.log(1 + (n - df + 0.5) / (df + 0.5));
  }

  rel(query: string, key: Pick<IndexKey, 'kind' | 'text'>): number {
    const length = (k: Pick<IndexKey, 'kind' | 'text'>) =>
      [...this.frequencies(k).values()].reduce((a, f) => a + f, 0);
    const lengths = this.originals.map(length);
    const average = lengths.reduce((a, l) => a + l, 0) / lengths.length || 1;
    const frequencies = this.frequencies(key);
    let score = 0;
    const asQuery = this.frequencies({ kind: 'original', text: query });
    for (const [term, count] of asQuery) {
      const weight = key.kind === 'expansion' ? Math.min(1, count) : count;
      const tf = frequencies.get(term);
      if (tf === undefined) continue;
      const norm = this.k1 * (1 - this.b + (this.b * length(key)) / average);
      score += (weight * this.idf(term) * tf * (this.k1 + 1)) / (tf + norm);
    }
    return score;
  }

  topKeys(query: string): { id: string; score: number }[] {
    return this.keys
      .filter((key) => key.kind !== 'expansion')
      .map((key) => ({ id: key.id, score: this.rel(query, key) }))
      .filter(({ score }) => score > 0)
      .sort(byScore);
  }

  rank(query: string, aggregate: Aggregate) {
    return this.originals
      .map(({ documentId, ...original }) => {
        const own = this.keys.filter((key) => key.documentId === documentId);
        const best = (kind: string) =>
          Math.max(0, ...own.filter((key) => key.kind === kind).map((key) => this.rel(query, key)));
        const [o, g, e] = [this.rel(query, original), best('generated'), best('expansion')];
        const score =
          aggregate === 'max'
            ? Math.max(o, g)
            : o + aggregate.blend * Math.max(0, g - o) + aggregate.boost * e;
        const keyId = own
          .filter((key) => key.kind !== 'expansion')
          .map((key) => ({ id: key.id, score: this.rel(query, key) }))
          .sort(byScore)[0];
        return { id: documentId, score, o, g, e, keyId: keyId.score > 0 ? keyId.id : original.id };
      })
      .filter(({ score }) => score > 0)
      .sort(byScore);
  }

  rivals(query: string, documentId: string): number {
    const scores = new Map(this.originals.map((key) => [key.documentId, this.rel(query, key)]));
    const own = scores.get(documentId) ?? 0;
    // Equal scores of this sum may differ in their last bits; the index adds exactly.
    return [...scores].filter(([id, score]) => id !== documentId && score >= own - 1e-9).length;
  }
}

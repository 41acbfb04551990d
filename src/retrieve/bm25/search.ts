import { combine } from '../aggregate.ts';
import type { Aggregate, DocumentHit, KeyHit } from '../types.ts';
import { Accumulator } from './accumulate.ts';
import { Best } from './best.ts';
import type { Bm25Index, Bm25Query, KeyPlace } from './bm25-index.ts';
import { impact, part } from './formula.ts';
import { withCapacity } from './growable.ts';
import type { KeyField } from './key-field.ts';

/** What the keys of one document scored. */
interface Components {
  readonly original: number;
  readonly generated: number;
  readonly expansion: number;
  /** Slot of the best generated key; −1 where none scored. */
  readonly generatedSlot: number;
}

/** Searches of one index. Buffers are kept between them; a search runs to its end without interruption. */
export class Bm25Search {
  private readonly original = new Accumulator();
  private readonly generated = new Accumulator();
  private readonly expansion = new Accumulator();
  /** Per document slot + 1 of its best generated key; 0 where none scored. */
  private bestSlots = new Uint32Array(0);
  /** Documents that were seen; the marks are all zero between searches. */
  private marks = new Uint8Array(0);
  private documents = new Uint32Array(0);
  private documentCount = 0;
  /** Per term the weight in the query at hand; all zero between searches. */
  private weights = new Float64Array(0);

  constructor(private readonly index: Bm25Index) {}

  /** The best text keys. */
  topKeys(query: Bm25Query, depth: number): KeyHit[] {
    const { index } = this;
    index.refresh();
    // An even item is an original key, an odd one a generated key.
    const idOf = (item: number) => (item & 1 ? index.generated : index.original).ids[item >> 1];
    const best = new Best(depth, idOf);
    for (const [bit, field, accumulator] of [
      [0, index.original, this.original],
      [1, index.generated, this.generated],
    ] as const) {
      accumulator.accumulate(field, query);
      for (let i = 0; i < accumulator.touchedCount; i++) {
        const slot = accumulator.touched[i];
        if (field.alive[slot]) best.offer(accumulator.scores[slot], slot * 2 + bit);
      }
      accumulator.clear();
    }
    return best.sorted().map(({ score, item }) => {
      const field = item & 1 ? index.generated : index.original;
      const slot = item >> 1;
      return { keyId: field.ids[slot], documentId: index.documentId(field.owners[slot]), score };
    });
  }

  /** The best documents by their aggregate score. */
  rank(query: Bm25Query, limit: number, aggregate: Aggregate): DocumentHit[] {
    const { index } = this;
    index.refresh();
    this.scoreAll(query, aggregate !== 'max' && aggregate.boost > 0);
    const best = new Best(limit, (document) => index.documentId(document));
    for (let i = 0; i < this.documentCount; i++) {
      const document = this.documents[i];
      const { original, generated, expansion } = this.components(document);
      const score = combine(aggregate, original, generated, expansion);
      if (score > 0) best.offer(score, document);
    }
    const hits = best.sorted().map(({ score, item }, i) => this.hit(item, score, i + 1));
    this.clear();
    return hits;
  }

  /** How many other documents' original keys score at least as high as the document's own. */
  rivals(query: Bm25Query, document: number): number {
    const { index, original } = this;
    index.refresh();
    original.accumulate(index.original, query);
    const own = original.scores[document] ?? 0;
    let count = own === 0 ? index.documentCount : 0;
    for (let i = 0; own > 0 && i < original.touchedCount; i++) {
      const other = original.touched[i];
      if (index.original.alive[other] && original.scores[other] >= own) count++;
    }
    original.clear();
    return count - 1;
  }

  /** The best rel(query, key) over these keys; −Infinity where there are none. */
  maximum(query: Bm25Query, places: readonly KeyPlace[]): number {
    const { index } = this;
    index.refresh();
    this.weights = withCapacity(this.weights, index.vocabulary.size);
    query.terms.forEach((term, i) => (this.weights[term] = query.weights[i]));
    let best = -Infinity;
    for (const { kind, slot } of places) best = Math.max(best, this.score(index.field(kind), slot));
    for (const term of query.terms) this.weights[term] = 0;
    return best;
  }

  /** rel(query, key) of one slot, for the query in `weights`. */
  private score({ rows, norms }: KeyField, slot: number): number {
    let score = 0;
    for (let at = rows.start(slot); at < rows.end(slot); at++) {
      const weight = this.weights[rows.terms[at]];
      if (weight > 0)
        score += part(weight, impact(this.index.parameters.k1, rows.frequencies[at], norms[slot]));
    }
    return score;
  }

  private scoreAll(query: Bm25Query, withExpansion: boolean): void {
    const { index, original, generated, expansion } = this;
    const size = index.original.size;
    this.bestSlots = withCapacity(this.bestSlots, size);
    this.marks = withCapacity(this.marks, size);
    this.documents = withCapacity(this.documents, size);

    original.accumulate(index.original, query);
    for (let i = 0; i < original.touchedCount; i++) this.see(original.touched[i]);

    generated.accumulate(index.generated, query);
    for (let i = 0; i < generated.touchedCount; i++) {
      const slot = generated.touched[i];
      if (!index.generated.alive[slot]) continue;
      const document = index.generated.owners[slot];
      this.see(document);
      const best = this.bestSlots[document] - 1;
      if (best < 0 || this.isBetterGenerated(slot, best)) this.bestSlots[document] = slot + 1;
    }

    if (!withExpansion) return;
    expansion.accumulate(index.expansion, query);
    for (let i = 0; i < expansion.touchedCount; i++) {
      const slot = expansion.touched[i];
      if (index.expansion.alive[slot]) this.see(index.expansion.owners[slot]);
    }
  }

  private isBetterGenerated(slot: number, other: number): boolean {
    const { scores } = this.generated;
    const { ids } = this.index.generated;
    return scores[slot] > scores[other] || (scores[slot] === scores[other] && ids[slot] < ids[other]);
  }

  private see(document: number): void {
    if (this.marks[document] || !this.index.original.alive[document]) return;
    this.marks[document] = 1;
    this.documents[this.documentCount++] = document;
  }

  private components(document: number): Components {
    const generatedSlot = this.bestSlots[document] - 1;
    const expansionSlot = this.index.expansionOf(document);
    return {
      original: this.original.scores[document],
      generated: generatedSlot < 0 ? 0 : this.generated.scores[generatedSlot],
      expansion: expansionSlot < 0 ? 0 : (this.expansion.scores[expansionSlot] ?? 0),
      generatedSlot,
    };
  }

  private hit(document: number, score: number, rank: number): DocumentHit {
    const { original, generated, expansion, generatedSlot } = this.components(document);
    const originalId = this.index.original.ids[document];
    const generatedId = this.index.generated.ids[generatedSlot];
    const generatedIsBest =
      generated > original || (generated > 0 && generated === original && generatedId < originalId);
    return {
      documentId: this.index.documentId(document),
      score,
      rank,
      keyId: generatedIsBest ? generatedId : originalId,
      components: { bm25: { score, rank, original, generated, expansion } },
    };
  }

  private clear(): void {
    for (let i = 0; i < this.documentCount; i++) {
      this.bestSlots[this.documents[i]] = 0;
      this.marks[this.documents[i]] = 0;
    }
    this.documentCount = 0;
    this.original.clear();
    this.generated.clear();
    this.expansion.clear();
  }
}

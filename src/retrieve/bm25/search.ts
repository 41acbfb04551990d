import { weightsOf } from '../aggregate.ts';
import type { Aggregate, DocumentHit, KeyHit } from '../types.ts';
import { Accumulator } from './accumulate.ts';
import { Best } from './best.ts';
import type { Bm25Index, Bm25Query, KeyPlace } from './bm25-index.ts';
import { DocumentSearch, type DocumentScore } from './document-search.ts';
import type { KeyField } from './key-field.ts';
import { KeySearch } from './key-search.ts';
import { planQuery, scoreFrom, type PlannedField } from './plan.ts';
import type { Pruning } from './pruning.ts';

/** Searches of one index. Buffers are kept between them; a search runs to its end without interruption. */
export class Bm25Search {
  private readonly originals: KeySearch;
  private readonly generated: KeySearch;
  private readonly documents: DocumentSearch;

  constructor(
    private readonly index: Bm25Index,
    pruning: Pruning = 'auto',
  ) {
    const original = new Accumulator(index.original);
    const generated = new Accumulator(index.generated);
    const expansion = new Accumulator(index.expansion);
    const { k1 } = index.parameters;
    this.originals = new KeySearch(original, k1, pruning);
    this.generated = new KeySearch(generated, k1, pruning);
    this.documents = new DocumentSearch(index, original, generated, expansion, pruning);
  }

  /** The best text keys. */
  topKeys(query: Bm25Query, depth: number): KeyHit[] {
    const { index } = this;
    index.refresh();
    // An even item is an original key, an odd one a generated key.
    const fieldOf = (item: number) => (item & 1 ? index.generated : index.original);
    const best = new Best(depth, (item) => fieldOf(item).ids[item >> 1]);
    this.originals.collect(planQuery(query, [keysOf(index.original)]), depth, best, (slot) => slot * 2);
    this.generated.collect(planQuery(query, [keysOf(index.generated)]), depth, best, (slot) => slot * 2 + 1);
    return best.sorted().map(({ score, item }) => {
      const field = fieldOf(item);
      const slot = item >> 1;
      return { keyId: field.ids[slot], documentId: index.documentId(field.owners[slot]), score };
    });
  }

  /** The documents whose original keys score best. */
  topOriginals(query: Bm25Query, limit: number): { score: number; item: number }[] {
    const { index } = this;
    index.refresh();
    const best = new Best(limit, (document) => index.documentId(document));
    this.originals.collect(planQuery(query, [keysOf(index.original)]), limit, best, (slot) => slot);
    return best.sorted();
  }

  /** The best documents by their aggregate score. */
  rank(query: Bm25Query, limit: number, aggregate: Aggregate): DocumentHit[] {
    const { index } = this;
    index.refresh();
    const weights = weightsOf(aggregate);
    const { blend, boost } = weights;
    const fields: PlannedField[] = [keysOf(index.original), { field: index.generated, share: blend }];
    if (boost > 0) fields.push({ field: index.expansion, share: boost, once: true });
    const plan = planQuery(query, fields);
    const best = new Best(limit, (document) => index.documentId(document));
    const from = this.documents.collect(plan, limit, weights, best);
    const hits = best
      .sorted()
      .map(({ score, item }, i) => this.hit(item, score, i + 1, this.documents.score(plan, item, from)));
    this.documents.clear();
    return hits;
  }

  /** How many other documents' original keys score at least as high as the document's own. */
  rivals(query: Bm25Query, document: number): number {
    const { index } = this;
    index.refresh();
    const plan = planQuery(query, [keysOf(index.original)]);
    const own = scoreFrom(plan, 0, document, 0, index.parameters.k1);
    return (own > 0 ? this.originals.countFrom(plan, own) : index.documentCount) - 1;
  }

  /** The best rel(query, key) over these text keys; −Infinity where there are none. */
  maximum(query: Bm25Query, places: readonly KeyPlace[]): number {
    const { index } = this;
    index.refresh();
    const plan = planQuery(query, [keysOf(index.original), keysOf(index.generated)]);
    let best = -Infinity;
    for (const { kind, slot } of places) {
      best = Math.max(best, scoreFrom(plan, kind === 'original' ? 0 : 1, slot, 0, index.parameters.k1));
    }
    return best;
  }

  private hit(document: number, score: number, rank: number, parts: DocumentScore): DocumentHit {
    const { original, generated, expansion, generatedSlot } = parts;
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
}

/** Keys ranked as such. */
function keysOf(field: KeyField): PlannedField {
  return { field, share: 1 };
}

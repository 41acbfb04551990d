import type { Pacer } from '../../base/pacer.ts';
import type { Analyser } from '../../corpus/types.ts';
import type { IndexKey, KeyKind } from '../../keys/types.ts';
import type { HeldKeys } from '../key-changes.ts';
import { defaultBm25, idf, lengthNorm, type Bm25Parameters } from './formula.ts';
import { withCapacity } from './growable.ts';
import { KeyField } from './key-field.ts';
import { frequenciesOf, TermCounter, type TermCounts } from './term-counts.ts';
import { Vocabulary } from './vocabulary.ts';

/** A query against one state of the index. */
export interface Bm25Query {
  readonly terms: number[];
  /** Query term frequency × idf. */
  readonly weights: number[];
  /** The same with a frequency of at most 1: in an expansion key each term counts once. */
  readonly onceWeights: number[];
}

/** A key that is in the index but not alive yet. */
export interface StagedKey {
  readonly id: string;
  readonly documentId: string;
  readonly kind: KeyKind;
  readonly slot: number;
}

/** Where a key is. */
export interface KeyPlace {
  readonly kind: KeyKind;
  readonly slot: number;
}

const none = -1;

/**
 * Every key of an index, ready to be searched by BM25. Statistics follow design.md §3: N, average length and document
 * frequencies come from original keys; a term that no original key holds has the number of documents that hold it in
 * any of their other keys.
 */
export class Bm25Index implements HeldKeys {
  readonly original = new KeyField();
  readonly generated = new KeyField();
  readonly expansion = new KeyField();
  readonly vocabulary = new Vocabulary();
  private readonly counter: TermCounter;
  private readonly numbers = new Map<string, number>();
  private readonly places = new Map<string, KeyPlace>();
  /** Per document the slot of its last generated key, per such slot the one before it; −1 where there is none. */
  lastGenerated = new Int32Array(64);
  previousGenerated = new Int32Array(64);
  private expansionByDocument = new Int32Array(64);
  private documentFrequencies = new Uint32Array(256);
  /** Document frequencies of terms that no original key holds, as they were asked for. */
  private readonly otherFrequencies = new Map<number, number>();
  private totalLength = 0;
  private stale = false;

  constructor(
    readonly analyser: Analyser,
    readonly parameters: Bm25Parameters = defaultBm25,
  ) {
    this.counter = new TermCounter(analyser, this.vocabulary);
  }

  get documentCount(): number {
    return this.original.live;
  }

  get averageLength(): number {
    return this.totalLength > 0 ? this.totalLength / this.documentCount : 1;
  }

  field(kind: KeyKind): KeyField {
    return this[kind];
  }

  documentNumber(documentId: string): number | undefined {
    return this.numbers.get(documentId);
  }

  documentId(number: number): string {
    return this.documentIds[number];
  }

  place(keyId: string): KeyPlace | undefined {
    return this.places.get(keyId);
  }

  has(keyId: string): boolean {
    return this.places.has(keyId);
  }

  originalOf(documentId: string): string | undefined {
    const number = this.numbers.get(documentId);
    return number === undefined ? undefined : this.original.ids[number];
  }

  expansionOf(documentId: string): string | undefined {
    const number = this.numbers.get(documentId);
    const slot = number === undefined ? none : this.expansionByDocument[number];
    return slot === none ? undefined : this.expansion.ids[slot];
  }

  /** Slots of a document's living generated keys, in order of arrival. */
  generatedSlots(document: number): number[] {
    const slots: number[] = [];
    for (let slot = this.lastGenerated[document]; slot !== none; slot = this.previousGenerated[slot]) {
      slots.push(slot);
    }
    return slots.reverse();
  }

  /** Slot of a document's expansion key, or −1. */
  expansionSlot(document: number): number {
    return this.expansionByDocument[document];
  }

  /** Every living key, an original before the other keys of its document. */
  *livingKeys(): Generator<KeyPlace & Pick<IndexKey, 'id' | 'documentId' | 'kind'>> {
    for (let document = 0; document < this.original.size; document++) {
      if (!this.original.alive[document]) continue;
      const documentId = this.documentIds[document];
      const key = (kind: KeyKind, slot: number) => ({
        id: this.field(kind).ids[slot],
        documentId,
        kind,
        slot,
      });
      yield key('original', document);
      for (const slot of this.generatedSlots(document)) yield key('generated', slot);
      const expansion = this.expansionByDocument[document];
      if (expansion !== none) yield key('expansion', expansion);
    }
  }

  /** Adds a key that is not there; the original key of its document must be there, or be this one. */
  add(key: IndexKey): void {
    this.insert(key, this.count(key));
  }

  /** Terms of a key, numbered; it need not come into the index. */
  count(key: Pick<IndexKey, 'kind' | 'text'>): TermCounts {
    return this.counter.count(key);
  }

  /** The same for a key whose terms are counted already. */
  insert(key: Pick<IndexKey, 'id' | 'documentId' | 'kind'>, counts: TermCounts): void {
    this.revive(this.stage(key, counts));
  }

  /**
   * Takes a key in that no search sees until `revive`: the long part of `insert`, which may be interrupted.
   * @param document the number of its document; default: that of the living one. An original key opens a new one
   */
  stage(
    { id, documentId, kind }: Pick<IndexKey, 'id' | 'documentId' | 'kind'>,
    counts: TermCounts,
    document = kind === 'original' ? this.openDocument(documentId) : this.numberOf(documentId),
  ): StagedKey {
    const slot = this.field(kind).stage(id, document, counts, this.parameters.k1, this.norm(counts.length));
    return { id, documentId, kind, slot };
  }

  /** Brings a staged key to life; the original key of its document before the others. */
  revive({ id, documentId, kind, slot }: StagedKey): void {
    const field = this.field(kind);
    const document = field.owners[slot];
    field.revive(slot);
    this.places.set(id, { kind, slot });
    this.otherFrequencies.clear();
    if (kind === 'generated') {
      this.previousGenerated = withCapacity(this.previousGenerated, slot + 1);
      this.previousGenerated[slot] = this.lastGenerated[document];
      this.lastGenerated[document] = slot;
    } else if (kind === 'expansion') this.expansionByDocument[document] = slot;
    else {
      this.numbers.set(documentId, document);
      this.countOriginal(slot, 1);
    }
  }

  /** Removes a key; with an original key goes its document and everything else of it. */
  remove(keyId: string): void {
    const place = this.places.get(keyId);
    if (!place) return;
    const { kind, slot } = place;
    const document = this.field(kind).owners[slot];
    this.places.delete(keyId);
    this.field(kind).remove(slot);
    this.otherFrequencies.clear();
    if (kind === 'generated') {
      this.unlinkGenerated(document, slot);
    } else if (kind === 'expansion') {
      this.expansionByDocument[document] = none;
    } else {
      for (const other of this.generatedSlots(document)) this.remove(this.generated.ids[other]);
      const expansion = this.expansionByDocument[document];
      if (expansion !== none) this.remove(this.expansion.ids[expansion]);
      this.numbers.delete(this.documentIds[document]);
      this.countOriginal(slot, -1);
    }
  }

  /** ln(1 + (N − df + ½)/(df + ½)); a term that nothing holds counts as held by one document, the text at hand. */
  idf(term: number | undefined): number {
    const held = term === undefined ? 0 : this.documentFrequency(term);
    return idf(Math.max(this.documentCount, 1), Math.max(held, 1));
  }

  /** Per term its idf; 0 where no living original key holds it. */
  originalIdf(): Float64Array {
    const values = new Float64Array(this.vocabulary.size);
    const known = Math.min(values.length, this.documentFrequencies.length);
    for (let term = 0; term < known; term++) {
      const held = this.documentFrequencies[term];
      if (held > 0) values[term] = idf(this.documentCount, held);
    }
    return values;
  }

  documentFrequency(term: number): number {
    return (
      (term < this.documentFrequencies.length && this.documentFrequencies[term]) || this.otherFrequency(term)
    );
  }

  /** Must be called before impacts are read: makes them follow the average length. */
  refresh(): void {
    if (!this.stale) return;
    const normOf = (length: number) => this.norm(length);
    for (const field of [this.original, this.generated, this.expansion])
      field.refresh(this.parameters.k1, normOf);
    this.stale = false;
  }

  /** The same in slices: until it is done, a search that cannot wait does it by itself. No key may come or go meanwhile. */
  async refreshPaced(pacer: Pacer): Promise<void> {
    if (!this.stale) return;
    const normOf = (length: number) => this.norm(length);
    const commits: (() => void)[] = [];
    for (const field of [this.original, this.generated, this.expansion])
      commits.push(await field.prepareRefresh(this.parameters.k1, normOf, pacer));
    for (const commit of commits) commit();
    this.stale = false;
  }

  norm(length: number): number {
    return lengthNorm(this.parameters, length, this.averageLength);
  }

  query(text: string): Bm25Query {
    const query: Bm25Query = { terms: [], weights: [], onceWeights: [] };
    for (const [term, frequency] of frequenciesOf(this.analyser, text)) {
      const number = this.vocabulary.find(term);
      if (number !== undefined) this.addTerm(query, number, frequency);
    }
    return query;
  }

  /** An original key as a query: every term of its document. */
  queryOf(document: number): Bm25Query {
    const query: Bm25Query = { terms: [], weights: [], onceWeights: [] };
    const { rows } = this.original;
    for (let at = rows.start(document); at < rows.end(document); at++) {
      this.addTerm(query, rows.terms[at], rows.frequencies[at]);
    }
    return query;
  }

  private addTerm(query: Bm25Query, term: number, frequency: number): void {
    const weight = this.idf(term);
    query.terms.push(term);
    query.weights.push(frequency * weight);
    query.onceWeights.push(Math.min(1, frequency) * weight);
  }

  private readonly documentIds: string[] = [];

  private openDocument(documentId: string): number {
    const number = this.original.size;
    this.documentIds.push(documentId);
    this.lastGenerated = withCapacity(this.lastGenerated, number + 1);
    this.lastGenerated[number] = none;
    this.expansionByDocument = withCapacity(this.expansionByDocument, number + 1);
    this.expansionByDocument[number] = none;
    return number;
  }

  private unlinkGenerated(document: number, slot: number): void {
    const { previousGenerated } = this;
    let after = this.lastGenerated[document];
    if (after === slot) {
      this.lastGenerated[document] = previousGenerated[slot];
      return;
    }
    while (previousGenerated[after] !== slot) after = previousGenerated[after];
    previousGenerated[after] = previousGenerated[slot];
  }

  private numberOf(documentId: string): number {
    const number = this.numbers.get(documentId);
    if (number === undefined) throw new Error(`document ${documentId} is not in the index`);
    return number;
  }

  private countOriginal(slot: number, sign: 1 | -1): void {
    const { rows, lengths } = this.original;
    this.documentFrequencies = withCapacity(this.documentFrequencies, this.vocabulary.size);
    for (let at = rows.start(slot); at < rows.end(slot); at++)
      this.documentFrequencies[rows.terms[at]] += sign;
    this.totalLength += sign * lengths[slot];
    this.stale = true;
  }

  private otherFrequency(term: number): number {
    const known = this.otherFrequencies.get(term);
    if (known !== undefined) return known;
    const documents = new Set<number>();
    for (const { postings, alive, owners } of [this.generated, this.expansion]) {
      if (term >= postings.size) continue;
      const start = postings.starts[term];
      const end = start + postings.counts[term];
      for (let at = start; at < end; at++) {
        const slot = postings.slots[at];
        if (alive[slot]) documents.add(owners[slot]);
      }
    }
    this.otherFrequencies.set(term, documents.size);
    return documents.size;
  }
}

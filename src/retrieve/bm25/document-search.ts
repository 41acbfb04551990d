import { combine } from '../aggregate.ts';
import type { Aggregate } from '../types.ts';
import type { Accumulator } from './accumulate.ts';
import type { Best } from './best.ts';
import type { Bm25Index } from './bm25-index.ts';
import { withCapacity } from './growable.ts';
import { scoreFrom, type QueryPlan } from './plan.ts';
import { worthFinishing, worthTesting, type Pruning } from './pruning.ts';
import { Threshold } from './threshold.ts';

/** What the keys of one document scored. */
export interface DocumentScore {
  readonly original: number;
  /** Best of its generated keys; 0 where none scored. */
  readonly generated: number;
  readonly expansion: number;
  /** Slot of the best generated key, ties by id; −1 where none scored. */
  readonly generatedSlot: number;
}

/** Parts are exact, but their aggregate is rounded: an upper bound of it leaves room for that. */
const slack = 1 + 2 ** -40;

/**
 * Exact search of documents by an aggregate over their keys, pruned as `KeySearch` is: the aggregate never falls when
 * one of its parts rises, so parts bounded from above bound it too. The plan's fields are original, generated, expansion.
 */
export class DocumentSearch {
  private readonly threshold = new Threshold();
  /** Documents that were met, `metCount` of them; marks are all zero between searches. */
  private met = new Uint32Array(0);
  private metCount = 0;
  private marks = new Uint8Array(0);
  /** How much of each accumulator's touched slots was looked at for documents. */
  private readonly looked = [0, 0, 0];

  constructor(
    private readonly index: Bm25Index,
    private readonly original: Accumulator,
    private readonly generated: Accumulator,
    private readonly expansion: Accumulator,
    private readonly pruning: Pruning,
  ) {}

  /**
   * Offers to `best` every document that may be among its best `limit`. Returns from which term on scores are
   * unfinished, for `score`; `clear` must follow.
   */
  collect(plan: QueryPlan, limit: number, aggregate: Aggregate, best: Best): number {
    const { threshold, from } = this.run(plan, limit, aggregate);
    for (let i = 0; i < this.metCount; i++) {
      const document = this.met[i];
      const most = this.bound(plan, document, from, aggregate);
      if (most < threshold || most < best.threshold) continue;
      const { original, generated, expansion } = this.score(plan, document, from);
      const score = combine(aggregate, original, generated, expansion);
      if (score > 0) best.offer(score, document);
    }
    return from;
  }

  /** Ready for the next search. */
  clear(): void {
    for (let i = 0; i < this.metCount; i++) this.marks[this.met[i]] = 0;
    this.metCount = 0;
    this.looked.fill(0);
    this.original.clear();
    this.generated.clear();
    this.expansion.clear();
  }

  /** The parts of one document's score; what was accumulated is completed by terms from number `from` on. */
  score(plan: QueryPlan, document: number, from: number): DocumentScore {
    const { index } = this;
    const { k1 } = index.parameters;
    const [original, generated, expansion] = plan.fields;
    let best = 0;
    let bestSlot = -1;
    for (const slot of index.generatedSlots(document)) {
      const score = (this.generated.scores[slot] ?? 0) + scoreFrom(plan, generated, slot, from, k1);
      const ids = index.generated.ids;
      if (score > best || (score === best && score > 0 && ids[slot] < ids[bestSlot])) {
        best = score;
        bestSlot = slot;
      }
    }
    const own = expansion ? index.expansionSlot(document) : -1;
    return {
      original: (this.original.scores[document] ?? 0) + scoreFrom(plan, original, document, from, k1),
      generated: best,
      expansion: own < 0 ? 0 : (this.expansion.scores[own] ?? 0) + scoreFrom(plan, expansion, own, from, k1),
      generatedSlot: bestSlot,
    };
  }

  /** Scores terms until the rest cannot bring in another document. */
  private run(plan: QueryPlan, limit: number, aggregate: Aggregate): { threshold: number; from: number } {
    const accumulators = [this.original, this.generated, this.expansion].slice(0, plan.fields.length);
    for (const accumulator of accumulators) accumulator.prepare();
    this.met = withCapacity(this.met, this.index.original.size);
    this.marks = withCapacity(this.marks, this.index.original.size);
    for (let i = 0; i < plan.terms.length; i++) {
      if (worthTesting(this.pruning, plan.postings[i], this.original.touchedCount)) {
        const rest = plan.fields.map((field) => field.rest[i]);
        const newcomer = combine(aggregate, rest[0], rest[1], rest[2] ?? 0) * slack;
        this.meet();
        const threshold = this.partialThreshold(plan, limit, aggregate);
        if (newcomer < threshold) {
          const lookups =
            this.countAbove(plan, i, aggregate, threshold) * (plan.terms.length - i) * plan.fields.length;
          if (worthFinishing(this.pruning, plan.postings[i], lookups)) return { threshold, from: i };
        }
      }
      accumulators.forEach((accumulator, f) => accumulator.add(plan.terms[i], plan.fields[f].weights[i]));
    }
    this.meet();
    return { threshold: -Infinity, from: plan.terms.length };
  }

  /** Lists the living documents of slots touched since the last time. */
  private meet(): void {
    const { alive } = this.index.original;
    [this.original, this.generated, this.expansion].forEach(({ touched, touchedCount, field }, f) => {
      for (let i = this.looked[f]; i < touchedCount; i++) {
        const slot = touched[i];
        const document = field.owners[slot];
        if (!field.alive[slot] || this.marks[document] || !alive[document]) continue;
        this.marks[document] = 1;
        this.met[this.metCount++] = document;
      }
      this.looked[f] = touchedCount;
    });
  }

  private partialThreshold(plan: QueryPlan, limit: number, aggregate: Aggregate): number {
    this.threshold.reset(limit);
    for (let i = 0; i < this.metCount; i++)
      this.threshold.offer(this.bound(plan, this.met[i], undefined, aggregate));
    return this.threshold.value;
  }

  private countAbove(plan: QueryPlan, from: number, aggregate: Aggregate, least: number): number {
    let count = 0;
    for (let i = 0; i < this.metCount; i++)
      if (this.bound(plan, this.met[i], from, aggregate) >= least) count++;
    return count;
  }

  /** The most that a document can score when terms from number `from` on are still to come; undefined: the least. */
  private bound(plan: QueryPlan, document: number, from: number | undefined, aggregate: Aggregate): number {
    const { index, generated, expansion } = this;
    const rest = (field: number) => (from === undefined ? 0 : plan.fields[field].rest[from]);
    let best = 0;
    const slots = index.generatedSlots(document);
    if (generated.touchedCount > 0) {
      for (const slot of slots) if (generated.scores[slot] > best) best = generated.scores[slot];
    }
    const own = plan.fields.length > 2 ? index.expansionSlot(document) : -1;
    const score = combine(
      aggregate,
      this.original.scores[document] + rest(0),
      slots.length > 0 ? best + rest(1) : 0,
      own < 0 ? 0 : expansion.scores[own] + rest(2),
    );
    return from === undefined ? score : score * slack;
  }
}

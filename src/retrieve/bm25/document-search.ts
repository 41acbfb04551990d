import { combine, type AggregateWeights } from '../aggregate.ts';
import type { Accumulator } from './accumulate.ts';
import type { Best } from './best.ts';
import type { Bm25Index } from './bm25-index.ts';
import { withCapacity } from './growable.ts';
import { scoreFrom, type QueryPlan } from './plan.ts';
import { isDense, Pruner, type Pruning } from './pruning.ts';
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

/** The most that the keys of a document can still gain, by kind. */
interface Rest {
  readonly original: number;
  readonly generated: number;
  readonly expansion: number;
}

const nothing: Rest = { original: 0, generated: 0, expansion: 0 };

/** Parts are exact, but their aggregate is rounded: an upper bound of it leaves room for that. */
const slack = 1 + 2 ** -40;

/**
 * Exact search of documents by an aggregate over their keys, pruned as `KeySearch` is: the aggregate never falls when
 * one of its parts rises, so parts bounded from above bound it too. The plan's fields are original, generated, expansion;
 * the last may be left out. Lists of expansion keys add little and so come last: often they are not gone through at all.
 */
export class DocumentSearch {
  private readonly threshold = new Threshold();
  private readonly accumulators: readonly Accumulator[];
  private dense = false;
  private hasGenerated = false;
  private hasExpansion = false;
  /** In a sparse search the documents met, `metCount` of them; marks are all zero between searches. */
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
  ) {
    this.accumulators = [original, generated, expansion];
  }

  /**
   * Offers to `best` every document that may be among its best `limit`. Returns from which list on scores are
   * unfinished, for `score`; `clear` must follow.
   */
  collect(plan: QueryPlan, limit: number, weights: AggregateWeights, best: Best): number {
    this.prepare(plan);
    const { threshold, from } = this.run(plan, limit, weights);
    const finished = from === plan.count;
    const rest = restFrom(plan, from);
    const rounding = finished ? 1 : slack;
    const { alive } = this.index.original;
    const count = this.documentCount();
    let least = Math.max(threshold, best.threshold, Number.MIN_VALUE);
    for (let i = 0; i < count; i++) {
      const document = this.documentAt(i);
      const most = this.value(document, rest, weights);
      if (most * rounding < least || !alive[document]) continue;
      const score = finished ? most : this.finishedValue(plan, document, from, weights);
      if (score <= 0) continue;
      best.offer(score, document);
      if (best.threshold > least) least = best.threshold;
    }
    return from;
  }

  /** Ready for the next search. */
  clear(): void {
    for (let i = 0; i < this.metCount; i++) this.marks[this.met[i]] = 0;
    this.metCount = 0;
    this.looked.fill(0);
    for (const accumulator of this.accumulators) accumulator.clear();
  }

  /** The parts of one document's score; what was accumulated is completed by lists from number `from` on. */
  score(plan: QueryPlan, document: number, from: number): DocumentScore {
    const { index } = this;
    const { k1 } = index.parameters;
    const { ids } = index.generated;
    let best = 0;
    let bestSlot = -1;
    for (const slot of index.generatedSlots(document)) {
      const score = this.generated.scores[slot] + scoreFrom(plan, 1, slot, from, k1);
      if (score > best || (score === best && score > 0 && ids[slot] < ids[bestSlot])) {
        best = score;
        bestSlot = slot;
      }
    }
    const own = plan.fields.length > 2 ? index.expansionSlot(document) : -1;
    return {
      original: this.original.scores[document] + scoreFrom(plan, 0, document, from, k1),
      generated: best,
      expansion: own < 0 ? 0 : this.expansion.scores[own] + scoreFrom(plan, 2, own, from, k1),
      generatedSlot: bestSlot,
    };
  }

  private finishedValue(plan: QueryPlan, document: number, from: number, weights: AggregateWeights): number {
    const { original, generated, expansion } = this.score(plan, document, from);
    return combine(weights, original, generated, expansion);
  }

  private prepare(plan: QueryPlan): void {
    const documents = this.index.original.size;
    this.dense = isDense(plan, documents);
    this.hasGenerated = plan.rests[1][0] > 0;
    this.hasExpansion = plan.fields.length > 2 && plan.rests[2][0] > 0;
    for (const accumulator of this.accumulators) accumulator.prepare(this.dense);
    if (this.dense) return;
    this.met = withCapacity(this.met, documents);
    this.marks = withCapacity(this.marks, documents);
  }

  /** Scores lists until the rest cannot bring in another document. */
  private run(
    plan: QueryPlan,
    limit: number,
    weights: AggregateWeights,
  ): { threshold: number; from: number } {
    const { terms, places, count } = plan;
    const newcomer = (i: number) => {
      const { original, generated, expansion } = restFrom(plan, i);
      return combine(weights, original, generated, expansion) * slack;
    };
    const pruner = new Pruner(this.pruning, plan, newcomer(0));
    for (let i = 0; i < count; i++) {
      const most = newcomer(i);
      if (pruner.isTime(i, most, this.dense ? this.index.original.size : this.original.touchedCount)) {
        this.meet();
        const threshold = this.partialThreshold(limit, weights);
        if (most < threshold && pruner.isCheaper(i, this.countCandidates(plan, i, weights, threshold))) {
          return { threshold, from: i };
        }
      }
      this.accumulators[places[i]].add(terms[i], plan.weights[i]);
    }
    this.meet();
    return { threshold: -Infinity, from: count };
  }

  /** In a sparse search: lists the living documents of slots touched since the last time. */
  private meet(): void {
    if (this.dense) return;
    for (let f = 0; f < this.accumulators.length; f++) {
      const { touched, touchedCount, field } = this.accumulators[f];
      const { owners, alive } = field;
      for (let i = this.looked[f]; i < touchedCount; i++) {
        const slot = touched[i];
        const document = owners[slot];
        if (this.marks[document] || !alive[slot]) continue;
        this.marks[document] = 1;
        this.met[this.metCount++] = document;
      }
      this.looked[f] = touchedCount;
    }
  }

  /** How many documents there are to look at. */
  private documentCount(): number {
    return this.dense ? this.index.original.size : this.metCount;
  }

  private documentAt(i: number): number {
    return this.dense ? i : this.met[i];
  }

  private partialThreshold(limit: number, weights: AggregateWeights): number {
    const { threshold } = this;
    const { alive } = this.index.original;
    const count = this.documentCount();
    threshold.reset(limit);
    let least = threshold.value;
    for (let i = 0; i < count; i++) {
      const document = this.documentAt(i);
      const value = this.value(document, nothing, weights);
      if (value <= least || !alive[document]) continue;
      threshold.offer(value);
      least = threshold.value;
    }
    // Rounded as a bound from above is, in the other direction.
    return least / slack;
  }

  private countCandidates(plan: QueryPlan, from: number, weights: AggregateWeights, least: number): number {
    const rest = restFrom(plan, from);
    const documents = this.documentCount();
    let count = 0;
    for (let i = 0; i < documents; i++) {
      if (this.value(this.documentAt(i), rest, weights) * slack >= least) count++;
    }
    return count;
  }

  /** The score of what is accumulated for a document, and the rest for each of its keys. */
  private value(document: number, rest: Rest, weights: AggregateWeights): number {
    const original = this.original.scores[document] + rest.original;
    let generated = 0;
    if (this.hasGenerated) {
      const { lastGenerated, previousGenerated } = this.index;
      const { scores } = this.generated;
      for (let slot = lastGenerated[document]; slot >= 0; slot = previousGenerated[slot]) {
        if (scores[slot] + rest.generated > generated) generated = scores[slot] + rest.generated;
      }
    }
    const own = this.hasExpansion ? this.index.expansionSlot(document) : -1;
    return combine(weights, original, generated, own < 0 ? 0 : this.expansion.scores[own] + rest.expansion);
  }
}

function restFrom({ rests }: QueryPlan, from: number): Rest {
  return {
    original: rests[0][from],
    generated: rests[1][from],
    expansion: rests.length > 2 ? rests[2][from] : 0,
  };
}

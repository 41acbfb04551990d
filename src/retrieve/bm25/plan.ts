import type { Bm25Query } from './bm25-index.ts';
import { impact, part } from './formula.ts';
import type { KeyField } from './key-field.ts';

/** A field that a query is searched in. */
export interface PlannedField {
  readonly field: KeyField;
  /** The most that one unit of a key's score here can add to what is ranked; 1 where keys themselves are. */
  readonly share: number;
  /** Whether a query term counts once at most. */
  readonly once?: boolean;
}

/**
 * The posting lists of a query in the order in which they are scored: those that can add most come first (MaxScore,
 * Turtle and Flood, 1995). Arrays go by list.
 */
export interface QueryPlan {
  readonly fields: readonly PlannedField[];
  readonly count: number;
  readonly terms: Uint32Array;
  /** Positions in `fields`. */
  readonly places: Uint8Array;
  readonly weights: Float64Array;
  /**
   * rests[f][i]: the most that lists i and after can add to the score of one key of field f; 0 at the end. On the grid,
   * so sums with it are exact.
   */
  readonly rests: readonly Float64Array[];
  /** postings[i]: how many postings lists i and after have. */
  readonly postings: Float64Array;
}

/** Plans a search of these fields, whose impacts must be fresh. */
export function planQuery(query: Bm25Query, fields: readonly PlannedField[]): QueryPlan {
  const room = query.terms.length * fields.length;
  const all = { terms: new Uint32Array(room), places: new Uint8Array(room), weights: new Float64Array(room) };
  const bounds = new Float64Array(room);
  const shared = new Float64Array(room);
  let count = 0;
  for (let place = 0; place < fields.length; place++) {
    const { field, share, once } = fields[place];
    const weights = once ? query.onceWeights : query.weights;
    for (let i = 0; i < query.terms.length; i++) {
      const term = query.terms[i];
      if (field.postings.count(term) === 0) continue;
      all.terms[count] = term;
      all.places[count] = place;
      all.weights[count] = weights[i];
      bounds[count] = part(weights[i], field.postings.peak(term));
      shared[count++] = share * bounds[count - 1];
    }
  }
  const order = descending(shared, count);
  const terms = new Uint32Array(count);
  const places = new Uint8Array(count);
  const weights = new Float64Array(count);
  const postings = new Float64Array(count + 1);
  const rests: Float64Array[] = [];
  for (let place = 0; place < fields.length; place++) rests.push(new Float64Array(count + 1));
  for (let i = count - 1; i >= 0; i--) {
    const from = order[i];
    terms[i] = all.terms[from];
    places[i] = all.places[from];
    weights[i] = all.weights[from];
    postings[i] = postings[i + 1] + fields[places[i]].field.postings.count(terms[i]);
    for (let place = 0; place < fields.length; place++) rests[place][i] = rests[place][i + 1];
    rests[places[i]][i] += bounds[from];
  }
  return { fields, count, terms, places, weights, rests, postings };
}

/** Positions of the first `count` values, greatest first; insertion for the few lists of most queries. */
function descending(values: Float64Array, count: number): Uint32Array {
  const order = new Uint32Array(count);
  if (count > 32) {
    for (let i = 0; i < count; i++) order[i] = i;
    return order.sort((a, b) => values[b] - values[a]);
  }
  for (let i = 0; i < count; i++) {
    let at = i;
    for (; at > 0 && values[order[at - 1]] < values[i]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

/** What the lists from number `from` on add to the score of one key of a field, each looked up in the key's row. */
export function scoreFrom(plan: QueryPlan, place: number, slot: number, from: number, k1: number): number {
  const { rows, norms } = plan.fields[place].field;
  let score = 0;
  for (let i = from; i < plan.count; i++) {
    if (plan.places[i] !== place) continue;
    const frequency = rows.frequency(slot, plan.terms[i]);
    if (frequency > 0) score += part(plan.weights[i], impact(k1, frequency, norms[slot]));
  }
  return score;
}

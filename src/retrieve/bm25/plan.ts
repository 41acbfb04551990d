import type { Bm25Query } from './bm25-index.ts';
import { impact, part } from './formula.ts';
import type { KeyField } from './key-field.ts';

/** What is left of a query against one field after its first terms. */
export interface FieldPlan {
  readonly field: KeyField;
  readonly weights: readonly number[];
  /** rest[i]: the most that terms i and after can add to one key; rest[n] = 0. On the grid, so sums with it are exact. */
  readonly rest: readonly number[];
}

/** Terms of a query in the order in which they are scored: those that can add most come first (MaxScore). */
export interface QueryPlan {
  readonly terms: readonly number[];
  readonly fields: readonly FieldPlan[];
  /** postings[i]: how many postings terms i and after have in all fields. */
  readonly postings: readonly number[];
}

/** Plans a search of these fields, whose impacts must be fresh. In the field `once` a query term counts once at most. */
export function planQuery(query: Bm25Query, fields: readonly KeyField[], once?: KeyField): QueryPlan {
  const weightsOf = (field: KeyField) => (field === once ? query.onceWeights : query.weights);
  const bounds = fields.map((field) => {
    const weights = weightsOf(field);
    return query.terms.map((term, i) => part(weights[i], field.postings.peak(term)));
  });
  const order = query.terms.map((_, i) => i);
  const greatest = order.map((i) => bounds.reduce((most, bound) => Math.max(most, bound[i]), 0));
  order.sort((a, b) => greatest[b] - greatest[a]);
  const terms = order.map((i) => query.terms[i]);
  return {
    terms,
    fields: fields.map((field, f) => ({
      field,
      weights: order.map((i) => weightsOf(field)[i]),
      rest: sumsFrom(order.map((i) => bounds[f][i])),
    })),
    postings: sumsFrom(
      terms.map((term) => fields.reduce((sum, { postings }) => sum + postings.count(term), 0)),
    ),
  };
}

/** What the terms from number `from` on add to one key's score, looked up in its row. */
export function scoreFrom(plan: QueryPlan, field: FieldPlan, slot: number, from: number, k1: number): number {
  const { rows, norms } = field.field;
  let score = 0;
  for (let i = from; i < plan.terms.length; i++) {
    const frequency = rows.frequency(slot, plan.terms[i]);
    if (frequency > 0) score += part(field.weights[i], impact(k1, frequency, norms[slot]));
  }
  return score;
}

function sumsFrom(values: readonly number[]): number[] {
  const sums = [...values, 0];
  for (let i = values.length - 1; i >= 0; i--) sums[i] += sums[i + 1];
  return sums;
}

import { SelfIndexError } from '../base/errors.ts';
import type { Aggregate } from './types.ts';

/** An aggregate as two numbers: `max` is a blend of 1 without a boost, since o + 1·max(0, g − o) = max(o, g). */
export interface AggregateWeights {
  readonly blend: number;
  readonly boost: number;
}

export function weightsOf(aggregate: Aggregate): AggregateWeights {
  return aggregate === 'max' ? { blend: 1, boost: 0 } : aggregate;
}

/**
 * A document's score from those of its keys (design.md §5). It never falls when one of the three rises: bounds of a
 * pruned search rely on that.
 */
export function combine(
  { blend, boost }: AggregateWeights,
  original: number,
  generated: number,
  expansion: number,
): number {
  const help = generated > original ? blend * (generated - original) : 0;
  return original + help + boost * expansion;
}

/** @throws SelfIndexError `invalid-argument` where the blend is not in [0, 1] or the boost is negative or not a number. */
export function checkAggregate(aggregate: Aggregate): Aggregate {
  if (aggregate === 'max') return aggregate;
  const { blend, boost } = aggregate;
  if (!(blend >= 0 && blend <= 1)) {
    throw new SelfIndexError(
      'invalid-argument',
      `The blend of an aggregate must be from 0 to 1, not ${blend}.`,
    );
  }
  if (!(boost >= 0 && Number.isFinite(boost))) {
    throw new SelfIndexError(
      'invalid-argument',
      `The boost of an aggregate must be 0 or more, not ${boost}.`,
    );
  }
  return aggregate;
}

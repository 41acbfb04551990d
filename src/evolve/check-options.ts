import { SelfIndexError } from '../base/errors.ts';
import type { EvolveOptions, IndexSettings } from './types.ts';

function refuse(message: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', message);
}

function wholeNumber(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < least || value > most) {
    throw refuse(`${name} must be a whole number from ${least} to ${most}; it is ${value}.`);
  }
}

function positive(name: string, value: number | undefined): void {
  if (value !== undefined && !(value > 0)) throw refuse(`${name} must be above 0; it is ${value}.`);
}

/** @throws SelfIndexError `invalid-argument`, naming the setting */
export function checkSettings(settings: IndexSettings): IndexSettings {
  const { retriever, aggregate, keyBudget, depth } = settings;
  if (!['bm25', 'dense', 'hybrid'].includes(retriever)) {
    throw refuse(`retriever must be bm25, dense or hybrid; it is "${String(retriever)}".`);
  }
  wholeNumber('keyBudget', keyBudget, 2, 100);
  wholeNumber('depth', depth, 1, 1000);
  if (aggregate !== 'max') {
    const { blend, boost } = aggregate;
    if (!(blend >= 0 && blend <= 1)) throw refuse(`aggregate.blend must be from 0 to 1; it is ${blend}.`);
    if (!(boost >= 0 && boost <= 1)) throw refuse(`aggregate.boost must be from 0 to 1; it is ${boost}.`);
  }
  return { retriever, aggregate, keyBudget, depth };
}

/** @throws SelfIndexError `invalid-argument`, naming the option */
export function checkEvolveOptions(options: EvolveOptions): EvolveOptions {
  wholeNumber('iterations', options.iterations, 1, 1000);
  wholeNumber('batch', options.batch, 1, 10_000);
  wholeNumber('seed', options.seed, 0, Number.MAX_SAFE_INTEGER);
  wholeNumber('budget.calls', options.budget?.calls, 1, Number.MAX_SAFE_INTEGER);
  positive('budget.tokens', options.budget?.tokens);
  positive('budget.minutes', options.budget?.minutes);
  if (options.order !== undefined && options.order !== 'paper' && options.order !== 'gain') {
    throw refuse(`order must be paper or gain; it is "${String(options.order)}".`);
  }
  if (options.guard) {
    wholeNumber('guard.queries', options.guard.queries, 1, 10_000);
    const { tolerance } = options.guard;
    if (tolerance !== undefined && !(tolerance >= 0 && tolerance <= 1)) {
      throw refuse(`guard.tolerance must be from 0 to 1; it is ${tolerance}.`);
    }
  }
  for (const query of options.queries ?? []) {
    if (typeof query.text !== 'string' || query.text.trim() === '') {
      throw refuse(`queries: the query "${query.id}" has no text.`);
    }
  }
  return options;
}

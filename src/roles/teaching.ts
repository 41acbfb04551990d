import { contentHash } from '../base/hash.ts';
import { normaliseKeyText } from '../keys/normalise.ts';
import {
  wholeKeySet,
  type Diagnosis,
  type EvolutionQuery,
  type KeySet,
  type Proposal,
} from '../keys/types.ts';
import { lowRank } from './extractive/evidence.ts';

export interface Click {
  /** What the person typed. */
  readonly query: string;
  /** Rank of the opened result as the person saw it, from 1. */
  readonly rank: number;
  readonly keys: KeySet;
  /** Generated keys that may stand at once (keyBudget − 1). */
  readonly limit: number;
}

/** What a click teaches: a search with a known answer, and its words as a proposal. */
export interface Lesson {
  readonly query: EvolutionQuery;
  readonly diagnosis: Diagnosis;
  readonly proposal: Proposal;
}

const longestLesson = 400;

/**
 * Teaching by clicks (design.md §5). The proposal's only new key is the person's own words. It goes through specificity,
 * separation and the gate like any other, but no judge is asked about its faithfulness: the person who opened the
 * document vouches for it. Where the budget is full, the oldest key that no person gave makes room.
 *
 * @returns null where the result ranked well (before rank 4), the search has no words or more than 400 characters, the
 *   words are a key already, or every place is held by a person's own words
 */
export function lessonOf({ query, rank, keys, limit }: Click): Lesson | null {
  const text = query.toWellFormed().replace(/\s+/g, ' ').trim();
  const form = normaliseKeyText(text);
  if (rank < lowRank || form === '' || text.length > longestLesson) return null;
  const taken = [keys.original, ...keys.generated].some((key) => normaliseKeyText(key.text) === form);
  const keep = keysWithRoom(keys, limit);
  if (taken || keep === null) return null;
  const id = `observed-${contentHash([text, keys.documentId]).slice(0, 16)}`;
  const cause = `A person looked for this with “${text}” and found it only at rank ${rank}.`;
  return {
    query: { id, text, kind: 'observed', sourceDocumentId: keys.documentId },
    diagnosis: { shortfalls: [{ key: wholeKeySet, cause }], revision: 'Add the words of that search.' },
    proposal: { keep, revised: [{ text, form: 'search' }] },
  };
}

function keysWithRoom(keys: KeySet, limit: number): string[] | null {
  const all = keys.generated.map((key) => key.id);
  if (all.length < limit) return all;
  const oldest = keys.generated.find((key) => key.origin.by !== 'teaching' && key.origin.by !== 'person');
  return oldest === undefined ? null : all.filter((id) => id !== oldest.id);
}

import { sentences } from '../../corpus/sentences.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { countWords, isUnspaced, passagesOf, readable } from '../extractive/text.ts';
import { asLine } from './data.ts';

/** Claims that a key may have; what is beyond belongs to the last. */
const mostClaims = 6;
/** A shorter piece says nothing by itself and stays with the one before. */
const leastWords = 3;

/** Where a sentence may come apart: semicolons, dashes, commas, and conjunctions that begin a clause. */
const joints =
  /\s*[;；。]\s*|\s+[–—]\s+|\s*[，、]\s*|,\s+|\s+(?=(?:but|because|while|whereas|although|unless|so that)\s)/iu;

/**
 * The claims of a key by rule: its sentences, and their clauses where each has at least three words (four characters in
 * scripts without spaces). Nothing is left out. One to six claims; none for a text without words.
 */
export function splitClaims(text: string): string[] {
  const pieces = sentences(asLine(text, 1000)).flatMap((sentence) => {
    const clauses: string[] = [];
    for (const clause of sentence.split(joints)) {
      if (clause.trim() === '') continue;
      const last = clauses.length - 1;
      if (last >= 0 && (!saysSomething(clause) || !saysSomething(clauses[last])))
        clauses[last] += `, ${clause}`;
      else clauses.push(clause);
    }
    return clauses;
  });
  const spoken = pieces.filter((piece) => countWords(piece) > 0);
  if (spoken.length <= mostClaims) return spoken;
  return [...spoken.slice(0, mostClaims - 1), spoken.slice(mostClaims - 1).join('; ')];
}

function saysSomething(clause: string): boolean {
  return isUnspaced(clause) ? clause.trim().length >= 4 : countWords(clause) >= leastWords;
}

/** Words of a passage that a small model reads at once: about 150 tokens. */
const passageWords = 100;

/** Passages of one document, ready to be looked up. */
export interface Passages {
  readonly texts: readonly string[];
  readonly terms: readonly ReadonlyMap<string, number>[];
}

export function passagesIn(documentText: string, view: CollectionView): Passages {
  const texts = passagesOf(readable(documentText), passageWords);
  return { texts, terms: texts.map((text) => view.terms(text)) };
}

/** The passage that shares the most idf mass with a text; of equal ones the first. */
export function bestPassage({ texts, terms }: Passages, text: string, view: CollectionView): string {
  const wanted = [...view.terms(text).keys()];
  let best = 0;
  let most = -1;
  terms.forEach((held, i) => {
    const shared = wanted.reduce((sum, term) => sum + (held.has(term) ? view.idf(term) : 0), 0);
    if (shared > most) [best, most] = [i, shared];
  });
  return texts.at(best) ?? '';
}

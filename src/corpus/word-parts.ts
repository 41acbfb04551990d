import type { Range } from './types.ts';

const atoms = /[\p{L}\p{M}\p{N}\p{Cf}]+/gu;
/** Between a small letter or digit and a capital; before the last capital of a run that goes on in small letters. */
const humps = /(?<=[\p{Ll}\p{Lo}\p{N}]\p{M}*)(?=\p{Lu})|(?<=\p{Lu}\p{M}*)(?=\p{Lu}\p{M}*\p{Ll})/gu;
/** APIs, URLs, IDs: an acronym's plural is one word. */
const acronymPlural = /^\p{Lu}{2,}s$/u;
const mixedCase = /\p{Ll}\p{M}*\p{Lu}|\p{Lu}\p{M}*\p{Lu}\p{M}*\p{Ll}/u;

/** The stretches of letters and digits between the separators of a word: `ACCOUNT_HOLDER` has two. */
export function separatedParts(word: string): Range[] {
  return [...word.matchAll(atoms)].map(({ 0: part, index }) => ({ start: index, end: index + part.length }));
}

/** The humps of a camel-case name: account, Holder, Name. None where the word is no such name. */
export function camelParts(word: string): Range[] {
  if (!mixedCase.test(word) || acronymPlural.test(word)) return [];
  const cuts = [0, ...[...word.matchAll(humps)].map(({ index }) => index)];
  return cuts.map((start, i) => ({ start, end: cuts[i + 1] ?? word.length }));
}

import stem from 'wink-porter2-stemmer';
import { hangulBigrams } from './cjk.ts';
import { fold } from './fold.ts';
import type { NameSplitter } from './run-together.ts';
import { englishStopWords } from './stop-words.ts';
import type { Range, Token } from './types.ts';
import { camelParts, separatedParts } from './word-parts.ts';

/** Term frequency of a part of an identifier, against 1 for the whole: measured on twelve collections. */
const partWeight = 0.5;
/** Of a part of a run-together name, which no other spelling gives away (FIBEN: .394 with .7 or more, .379 with .5). */
const splitWeight = 0.75;
/** UTF-16 units. What is longer is no word that anyone searches for (base64, minified code). */
const longestTerm = 128;
/** Shorter humps of a camel-case name (the x of xAxis) only add noise. */
const shortestHump = 2;

/** Not written in the whole: account_holder is accountholder, O’Neill oneill; azure.com keeps its full stop. */
const joiners = /[_'"\u00b7\u0387\u05f4\u2018\u2019\u2027\u203f\u2040\uff07\uff3f]/g;

/** Nothing to split: most words and numbers, and acronyms too short to be run together, so they take the short way. */
const plainWord = /^(?:[A-Z]?[a-z]+|[0-9]+|[A-Z]{1,6})$/;

/** Terms of one word, with offsets in it. */
export function termsOfWord(word: string, splitter: NameSplitter | undefined): Token[] {
  const tokens: Token[] = [];
  if (plainWord.test(word)) {
    const term = termOf(word);
    return term === '' ? tokens : [{ term, weight: 1, start: 0, end: word.length }];
  }
  const push = (surface: string, weight: number, { start, end }: Range) => {
    const term = termOf(surface);
    if (term !== '') tokens.push({ term, weight, start, end });
  };
  const atoms = separatedParts(word);
  if (atoms.length > 1) {
    const range = { start: atoms[0].start, end: atoms[atoms.length - 1].end };
    push(word.slice(range.start, range.end).replace(joiners, ''), 1, range);
  }
  for (const atom of atoms) {
    const surface = word.slice(atom.start, atom.end);
    push(surface, atoms.length > 1 ? partWeight : 1, atom);
    const humps = camelParts(surface).filter(({ start, end }) => end - start >= shortestHump);
    const words = humps.length === 0 && atoms.length === 1 ? (splitter?.split(surface) ?? []) : [];
    const weight = words.length > 0 ? splitWeight : partWeight;
    for (const { start, end } of [...humps, ...words, ...hangulBigrams(surface)]) {
      push(surface.slice(start, end), weight, { start: atom.start + start, end: atom.start + end });
    }
  }
  return tokens;
}

/** The indexed form of a word; empty where it is not indexed. */
function termOf(surface: string): string {
  const folded = fold(surface);
  if (folded.length > longestTerm || englishStopWords.has(folded)) return '';
  return /^[a-z]+$/.test(folded) ? stem(folded) : folded;
}

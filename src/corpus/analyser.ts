import stem from 'wink-porter2-stemmer';
import { contentHash } from '../base/hash.ts';
import { eachCjkRun, pushBigrams } from './cjk.ts';
import { fold, isAscii } from './fold.ts';
import { NameSplitter, type Vocabulary } from './run-together.ts';
import { englishStopWords } from './stop-words.ts';
import type { Analyser, Range, Token } from './types.ts';
import { camelParts, separatedParts } from './word-parts.ts';
import { eachAsciiWord, eachUnicodeWord } from './word-spans.ts';

export interface AnalyserOptions {
  /** The collection's own words (`collectVocabulary`), which help to split its run-together names. */
  readonly vocabulary?: Vocabulary;
  /** Split run-together names such as FINANCIALSERVICEACCOUNT; default true. */
  readonly splitNames?: boolean;
}

/** A change of any rule below that changes tokens must change this. */
const analysis = 'words-1';
/** Term frequency of a part of an identifier, against 1 for the whole: measured on twelve collections. */
const partWeight = 0.5;
/** UTF-16 units. What is longer is no word that anyone searches for (base64, minified code). */
const longestTerm = 128;
/** Distinct words whose terms are remembered. */
const cacheSize = 200_000;

const chunks = /[^ \t\n\r\f\v]+/g;

/**
 * The one analyser of index and query: words by UAX #29, folded (NFKC, case, accents), English stop words dropped,
 * Porter2 stems; bigrams of Han and Kana; identifiers whole and in parts (design.md, issue "corpus").
 */
export function createAnalyser(options: AnalyserOptions = {}): Analyser {
  return new TextAnalyser(options);
}

class TextAnalyser implements Analyser {
  readonly id: string;
  readonly #splitter: NameSplitter | undefined;
  readonly #cache = new Map<string, readonly Token[]>();

  constructor({ vocabulary, splitNames = true }: AnalyserOptions) {
    this.#splitter = splitNames ? new NameSplitter(vocabulary) : undefined;
    const own = splitNames && vocabulary?.size ? `+${contentHash([...vocabulary].sort()).slice(0, 16)}` : '';
    this.id = `${analysis}${splitNames ? '' : '-unsplit'}${own}`;
  }

  analyse(text: string): Token[] {
    const tokens: Token[] = [];
    if (isAscii(text)) this.#ascii(text, 0, tokens);
    else {
      for (const { 0: chunk, index } of text.matchAll(chunks)) {
        if (isAscii(chunk)) this.#ascii(chunk, index, tokens);
        else this.#unicode(chunk, index, tokens);
      }
    }
    return tokens;
  }

  #ascii(text: string, offset: number, tokens: Token[]): void {
    eachAsciiWord(text, (start, end) => this.#word(text.slice(start, end), offset + start, tokens));
  }

  #unicode(text: string, offset: number, tokens: Token[]): void {
    eachCjkRun(text, (from, to, cjk) => {
      const run = text.slice(from, to);
      if (cjk) pushBigrams(run, offset + from, tokens);
      else if (isAscii(run)) this.#ascii(run, offset + from, tokens);
      else {
        eachUnicodeWord(run, (start, end) => {
          this.#word(run.slice(start, end), offset + from + start, tokens);
        });
      }
    });
  }

  #word(word: string, offset: number, tokens: Token[]): void {
    let terms = this.#cache.get(word);
    if (terms === undefined) {
      if (this.#cache.size >= cacheSize) this.#cache.clear();
      terms = termsOfWord(word, this.#splitter);
      this.#cache.set(word, terms);
    }
    for (const { term, weight, start, end } of terms) {
      tokens.push({ term, weight, start: offset + start, end: offset + end });
    }
  }
}

/** Terms of one word, with offsets in it. */
function termsOfWord(word: string, splitter: NameSplitter | undefined): Token[] {
  const tokens: Token[] = [];
  const push = (surface: string, weight: number, { start, end }: Range) => {
    const term = termOf(surface);
    if (term !== '') tokens.push({ term, weight, start, end });
  };
  const atoms = separatedParts(word);
  if (atoms.length > 1) {
    const range = { start: atoms[0].start, end: atoms[atoms.length - 1].end };
    push(word.slice(range.start, range.end).replace(/[_'’]/g, ''), 1, range);
  }
  for (const atom of atoms) {
    const surface = word.slice(atom.start, atom.end);
    push(surface, atoms.length > 1 ? partWeight : 1, atom);
    let parts = camelParts(surface);
    if (parts.length === 1 && atoms.length === 1) parts = splitter?.split(surface) ?? parts;
    if (parts.length === 1) continue;
    for (const { start, end } of parts) {
      const range = { start: atom.start + start, end: atom.start + end };
      push(surface.slice(start, end), partWeight, range);
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

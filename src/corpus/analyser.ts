import { contentHash } from '../base/hash.ts';
import { eachCjkRun, pushBigrams } from './cjk.ts';
import { isAscii } from './fold.ts';
import { mayRunTogether, NameSplitter, type Vocabulary } from './run-together.ts';
import type { Analyser, Token } from './types.ts';
import { Initials } from './initials.ts';
import { termsOfWord } from './word-terms.ts';
import { eachAsciiWord, eachUnicodeWord } from './word-spans.ts';

export interface AnalyserOptions {
  /** The collection's own words (`collectVocabulary`), which help to split its run-together names. */
  readonly vocabulary?: Vocabulary;
  /** Split run-together names such as FINANCIALSERVICEACCOUNT; default true. */
  readonly splitNames?: boolean;
}

/** A change of any rule below that changes tokens must change this. */
const analysis = 'words-2';
/** Distinct strings whose terms are remembered, and the longest of them in UTF-16 units. */
const cacheSize = 200_000;
const longestCached = 64;

const chunks = /[^ \t\n\r\f\v]+/g;

/**
 * The one analyser of index and query: words by UAX #29, folded (NFKC, case, accents), English stop words dropped,
 * Porter2 stems; bigrams of Han and Kana; identifiers whole and in parts.
 */
export function createAnalyser(options: AnalyserOptions = {}): Analyser {
  return new TextAnalyser(options);
}

class TextAnalyser implements Analyser {
  readonly id: string;
  readonly #splitter: NameSplitter | undefined;
  /** Words that may be names run together, which the vocabulary helps to split. */
  readonly #names: Cache = new Map();
  /** Stretches without ASCII white space that are not ASCII alone: a word cut from one may be cut differently by itself. */
  readonly #chunks: Cache = new Map();

  constructor({ vocabulary, splitNames = true }: AnalyserOptions) {
    this.#splitter = splitNames ? new NameSplitter(vocabulary) : undefined;
    const own = splitNames && vocabulary?.size ? `+${contentHash([...vocabulary].sort()).slice(0, 16)}` : '';
    this.id = `${analysis}${splitNames ? '' : '-unsplit'}${own}`;
  }

  analyse(text: string): Token[] {
    const tokens: Token[] = [];
    this.#each(text, (terms, offset) => {
      pushShifted(terms, offset, tokens);
    });
    return tokens;
  }

  eachTerm(text: string, visit: (term: string, weight: number) => void): void {
    this.#each(text, (terms) => {
      for (let i = 0; i < terms.length; i++) visit(terms[i].term, terms[i].weight);
    });
  }

  find(text: string, wanted: ReadonlyMap<string, unknown>): Token[] {
    const tokens: Token[] = [];
    const push = (terms: readonly Token[], offset: number) => {
      for (let i = 0; i < terms.length; i++) {
        const { term, weight, start, end } = terms[i];
        if (wanted.has(term)) tokens.push({ term, weight, start: offset + start, end: offset + end });
      }
    };
    if (!isAscii(text)) this.#each(text, push);
    else {
      const initials = new Initials(wanted.keys());
      eachAsciiWord(text, (start, end) => {
        if (!initials.exclude(text, start, end)) push(this.#word(text.slice(start, end)), start);
      });
    }
    return tokens;
  }

  /** Visits the terms of each word, or of each stretch beyond ASCII, and where it begins. */
  #each(text: string, visit: (terms: readonly Token[], offset: number) => void): void {
    if (isAscii(text)) this.#ascii(text, 0, visit);
    else {
      for (const { 0: chunk, index } of text.matchAll(chunks)) {
        if (isAscii(chunk)) this.#ascii(chunk, index, visit);
        else {
          const known = this.#chunks.get(chunk);
          visit(known ?? remember(this.#chunks, chunk, this.#unicode(chunk)), index);
        }
      }
    }
  }

  #ascii(text: string, offset: number, visit: (terms: readonly Token[], offset: number) => void): void {
    eachAsciiWord(text, (start, end) => {
      visit(this.#word(text.slice(start, end)), offset + start);
    });
  }

  /** Terms of a text without ASCII white space, with offsets in it. */
  #unicode(text: string): Token[] {
    const tokens: Token[] = [];
    const push = (terms: readonly Token[], offset: number) => {
      pushShifted(terms, offset, tokens);
    };
    eachCjkRun(text, (from, to, cjk) => {
      const run = text.slice(from, to);
      if (cjk) pushBigrams(run, from, tokens);
      else if (isAscii(run)) this.#ascii(run, from, push);
      else {
        eachUnicodeWord(run, (start, end) => {
          pushShifted(this.#word(run.slice(start, end)), from + start, tokens);
        });
      }
    });
    return tokens;
  }

  #word(word: string): readonly Token[] {
    const known = sharedWords.get(word) ?? this.#names.get(word);
    if (known) return known;
    return mayRunTogether(word)
      ? remember(this.#names, word, termsOfWord(word, this.#splitter))
      : remember(sharedWords, word, termsOfWord(word, undefined));
  }
}

type Cache = Map<string, readonly Token[]>;

/** Terms of words that all analysers take alike: making them, stemming above all, is the dearest part of analysis. */
const sharedWords: Cache = new Map();

function remember(cache: Cache, key: string, terms: readonly Token[]): readonly Token[] {
  if (key.length > longestCached) return terms;
  if (cache.size >= cacheSize) cache.clear();
  // A slice would keep the whole text that it was cut from in memory.
  cache.set(` ${key}`.slice(1), terms);
  return terms;
}

function pushShifted(terms: readonly Token[], offset: number, tokens: Token[]): void {
  for (let i = 0; i < terms.length; i++) {
    const { term, weight, start, end } = terms[i];
    tokens.push({ term, weight, start: offset + start, end: offset + end });
  }
}

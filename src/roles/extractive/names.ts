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

const nameShape = /[\p{L}\p{N}][\p{L}\p{N}_]{2,63}/gu;
const acronymShape = /(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}&]{1,7}(?![\p{Ll}\p{N}])/gu;
const titleCase = /^\p{Lu}?\p{Ll}+$/u;

/** Names of the text that people would write as several words, in order, each once. */
export function spelledNames(text: string, view: CollectionView, limit: number): SpelledName[] {
  const found = new Map<string, SpelledName>();
  for (const [name] of text.matchAll(nameShape)) {
    if (found.size >= limit) break;
    if (found.has(name) || titleCase.test(name)) continue;
    const pieces = separatedParts(name).map(({ start, end }) => name.slice(start, end));
    const parts = pieces.flatMap((piece) => runParts(piece, view));
    if (parts.length < 2 || parts.every((part) => /^\p{N}+$/u.test(part))) continue;
    const spelled = parts.join(' ').toLowerCase();
    found.set(name, { name, words: spelled, runTogether: parts.length > pieces.length });
  }
  return [...found.values()];
}

function runParts(piece: string, view: CollectionView): string[] {
  const humps = camelParts(piece);
  if (humps.length > 1) return humps.map(({ start, end }) => piece.slice(start, end));
  return piece.length >= 7 ? runTogether(piece, view) : [piece];
}

/**
 * The words of a run-together name such as `FINANCIALSERVICEACCOUNT`. Which words, the index's analyser knows, but it
 * gives stems: each stem's beginning marks where a word of the name starts.
 */
function runTogether(piece: string, view: CollectionView): string[] {
  const whole = piece.toLowerCase();
  const stems = [...view.terms(piece).keys()].slice(1);
  if (stems.length < 2) return [piece];
  const starts = [0];
  let from = 0;
  for (const stem of stems) {
    const at = whole.indexOf(stem.slice(0, Math.max(1, stem.length - 1)), from);
    if (at < 0) return [piece];
    if (at > 0) starts.push(at);
    from = at + 1;
  }
  return starts.map((start, i) => whole.slice(start, starts[i + 1]));
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

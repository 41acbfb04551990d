import type { CollectionView } from '../../retrieve/types.ts';

/** A name that runs words together, and the words. */
export interface SpelledName {
  readonly name: string;
  readonly words: string;
}

/** An acronym of the text with the long form that the collection gives for it. */
export interface SpelledAcronym {
  readonly acronym: string;
  readonly longForm: string;
}

const nameShape = /[\p{L}\p{N}][\p{L}\p{N}_]{2,63}/gu;
const humps = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|_+/u;
const acronymShape = /(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}&]{1,7}(?![\p{Ll}\p{N}])/gu;
const titleCase = /^\p{Lu}?\p{Ll}+$/u;

/** Names of the text that people would write as several words, in order, each once. */
export function spelledNames(text: string, view: CollectionView, limit: number): SpelledName[] {
  const found = new Map<string, string>();
  for (const [name] of text.matchAll(nameShape)) {
    if (found.size >= limit) break;
    if (found.has(name) || titleCase.test(name)) continue;
    const parts = partsOf(name, view);
    if (parts.length > 1) found.set(name, parts.join(' ').toLowerCase());
  }
  return [...found].map(([name, words]) => ({ name, words }));
}

function partsOf(name: string, view: CollectionView): string[] {
  const pieces = name.split(humps).filter((piece) => piece !== '');
  if (pieces.every((piece) => /^\p{N}+$/u.test(piece))) return [];
  return pieces.flatMap((piece) => (piece.length >= 7 ? runTogether(piece, view) : [piece]));
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

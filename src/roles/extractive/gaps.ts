import type { FeedbackRecord } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { spelledAcronyms, spelledNames, type SpelledAcronym, type SpelledName } from './names.ts';
import { countWords, readable } from './text.ts';

/** What no key of a document says although its text holds it: seen from the text alone, without any search. */
export interface Gaps {
  readonly names: readonly SpelledName[];
  readonly acronyms: readonly SpelledAcronym[];
  /** Words of the text where the embedder reads only the beginning of it; 0 where it reads all. */
  readonly unread: number;
}

/** Names that one key can spell out. */
const namesPerKey = 40;

/** Terms of every text key of the record. */
export function keyTerms(record: FeedbackRecord, view: CollectionView): Map<string, number> {
  const terms = new Map(view.terms(readable(record.keys.original.text)));
  for (const key of record.keys.generated) {
    for (const [term, weight] of view.terms(key.text)) terms.set(term, (terms.get(term) ?? 0) + weight);
  }
  return terms;
}

export function gapsOf(
  record: FeedbackRecord,
  known: ReadonlyMap<string, number>,
  view: CollectionView,
  embedderWords: number,
): Gaps {
  const forms = new Set(record.keys.generated.map((key) => key.origin.form));
  const text = readable(record.keys.original.text);
  const length = forms.has('passage') ? 0 : countWords(text);
  return {
    // Separators part the words well enough: spelling those out again lost .02 of nDCG@10 on BEAVER.
    names: forms.has('identifier')
      ? []
      : spelledNames(text, view, namesPerKey).filter(({ runTogether }) => runTogether),
    acronyms: spelledAcronyms(text, known, view),
    unread: length > embedderWords ? length : 0,
  };
}

/** Words of a text that an embedder of 256 tokens reads. */
export const defaultEmbedderWords = 180;

/** Names the rules with what changes their answers. */
export function extractiveId(embedderWords: number): string {
  return embedderWords === defaultEmbedderWords ? 'extractive' : `extractive(${embedderWords} words)`;
}

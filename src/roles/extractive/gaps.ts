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
  /** No key says what the document is for in other words than its own. */
  readonly unwritten: boolean;
}

/** Forms of keys that somebody wrote, as against those taken from the text. */
const writtenForms = ['question', 'description', 'search'] as const;

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
  { embedderWords, unwritten = false }: RuleOptions,
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
    unwritten: unwritten && !writtenForms.some((form) => forms.has(form)),
  };
}

/** What the rules are told. */
export interface RuleOptions {
  /** Words of a text that the embedder reads: 180 for 256 tokens. Infinity without an embedder. */
  readonly embedderWords: number;
  /** Also a document without any written key has a shortfall: for a reviser that can write. */
  readonly unwritten?: boolean;
}

export const defaultRules: RuleOptions = { embedderWords: 180 };

/** Names the rules with what changes their answers. */
export function extractiveId({ embedderWords, unwritten = false }: RuleOptions): string {
  const differences = [
    ...(embedderWords === defaultRules.embedderWords ? [] : [`${embedderWords} words`]),
    ...(unwritten ? ['unwritten'] : []),
  ];
  return differences.length === 0 ? 'extractive' : `extractive(${differences.join(', ')})`;
}

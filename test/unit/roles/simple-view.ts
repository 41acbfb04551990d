import type { FeedbackRecord, FeedbackRow, IndexKey, KeyForm } from '../../../src/keys/types.ts';
import type { CollectionView } from '../../../src/retrieve/types.ts';

const stopWords = new Set(['the', 'a', 'of', 'is', 'in', 'to', 'and', 'for', 'not']);

/** A naive analyser: lower-case words without stop words; names with an underscore or humps also by part, at weight .5. */
export function simpleTerms(text: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const add = (term: string, weight: number) => terms.set(term, (terms.get(term) ?? 0) + weight);
  for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (stopWords.has(word.toLowerCase())) continue;
    add(word.toLowerCase(), 1);
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
    if (parts.length > 1) for (const part of parts) add(part.toLowerCase(), 0.5);
  }
  return terms;
}

export function simpleView(
  texts: readonly string[],
  expansions: Readonly<Record<string, readonly string[]>> = {},
): CollectionView {
  const documents = texts.map(simpleTerms);
  return {
    size: texts.length,
    idf(term) {
      const df = documents.filter((terms) => terms.has(term)).length;
      return Math.log(1 + (texts.length - df + 0.5) / (df + 0.5));
    },
    terms: simpleTerms,
    expansionsOf: (acronym) => expansions[acronym] ?? [],
  };
}

export function key(id: string, text: string, form: KeyForm = 'sentence'): IndexKey {
  return { id, documentId: 'd', kind: 'generated', text, origin: { by: 'reviser', form } };
}

/** A record of document `d` with the given text and generated keys. */
export function record(
  text: string,
  more: Partial<FeedbackRecord> & { readonly generated?: readonly IndexKey[] } = {},
): FeedbackRecord {
  const { generated = [], ...rest } = more;
  const whole = rest.title === undefined ? text : `${rest.title}\n${text}`;
  const original: IndexKey = {
    id: 'd0',
    documentId: 'd',
    kind: 'original',
    text: whole,
    origin: { by: 'document', form: 'text' },
  };
  return {
    documentId: 'd',
    text,
    keys: { documentId: 'd', original, generated },
    profiles: [],
    rows: [],
    missed: [],
    ...rest,
  };
}

/** A retrieval of document `d` for a simulated query made from `source`. */
export function row(query: string, keyId: string, rank: number, source = 'd'): FeedbackRow {
  return {
    query: { id: query, text: query, kind: 'simulated', sourceDocumentId: source },
    keyId,
    rank,
    score: 1 / rank,
    documentRank: rank,
  };
}

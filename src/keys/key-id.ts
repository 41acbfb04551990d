import type { Document } from '../corpus/types.ts';
import { sha256Hex } from '../base/hash.ts';
import type { IndexKey, KeyKind, KeyOrigin, ProposedKey } from './types.ts';

/** Stands between the parts of a key id: document ids hold no control characters, so it cannot occur in them. */
const separator = '\u001f';

/** 128 bits: a key id only has to be unique among one document's keys. */
const hashLength = 32;

/** The id of a text as a key of a document: the same text of the same kind always has the same id. */
export function keyId(documentId: string, kind: KeyKind, text: string): string {
  return `${documentId}${separator}${sha256Hex(`${kind}${separator}${text}`).slice(0, hashLength)}`;
}

/** The document that a key's id names; the id itself where it is not one of `keyId`. */
export function documentIdOf(id: string): string {
  return id.split(separator, 1)[0];
}

/** The text that represents a document from the start: its title, where it has one, and its text. */
export function originalText(document: Pick<Document, 'title' | 'text'>): string {
  const title = document.title?.trim();
  return title ? `${title}\n${document.text}` : document.text;
}

/** The key that every document has in every version; never revised, never validated. */
export function makeOriginalKey(document: Pick<Document, 'id' | 'title' | 'text'>): IndexKey {
  const text = originalText(document);
  return {
    id: keyId(document.id, 'original', text),
    documentId: document.id,
    kind: 'original',
    text,
    origin: { by: 'document', form: 'text' },
  };
}

/** A key that somebody proposed; the form comes from the proposal, the rest of its origin from the caller. */
export function makeGeneratedKey(
  documentId: string,
  proposed: ProposedKey,
  origin: Omit<KeyOrigin, 'form'>,
): IndexKey {
  const text = proposed.text.trim();
  return {
    id: keyId(documentId, 'generated', text),
    documentId,
    kind: 'generated',
    text,
    origin: { ...origin, form: proposed.form },
  };
}

/** The expansion key (design.md §5): analysed terms, most telling first. */
export function makeExpansionKey(documentId: string, terms: readonly string[]): IndexKey {
  const text = terms.join(' ');
  return {
    id: keyId(documentId, 'expansion', text),
    documentId,
    kind: 'expansion',
    text,
    origin: { by: 'expansion', form: 'terms' },
  };
}

/** The terms of an expansion key's text, as `makeExpansionKey` joined them. */
export function expansionTerms(text: string): string[] {
  return text.split(' ').filter((term) => term !== '');
}

import type { Document } from './types.ts';

/** The text of a document's original key: title, line feed, text; the text alone where there is no title. */
export function documentKeyText(document: Pick<Document, 'title' | 'text'>): string {
  return document.title ? `${document.title}\n${document.text}` : document.text;
}

import type { Document } from '../../corpus/types.ts';

/** The note that a document is a passage of; a document without a source is its own. */
export function noteOf(document: Document): string {
  return document.source?.name ?? document.id;
}

export function titleOf(document: Document): string {
  return document.title ?? document.source?.headings?.[0] ?? noteOf(document);
}

/** Headings between the title and the passage. */
export function pathOf(document: Document): string[] {
  const title = titleOf(document);
  return (document.source?.headings ?? []).filter((heading) => heading !== title);
}

export function byId(documents: readonly Document[]): ReadonlyMap<string, Document> {
  return new Map(documents.map((document) => [document.id, document]));
}

export function notesOf(documents: readonly Document[]): ReadonlySet<string> {
  return new Set(documents.map(noteOf));
}

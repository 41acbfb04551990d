import type { Document } from '../../corpus/types.ts';

/** Between the headings of a passage's title. */
const separator = ' › ';

/** The note that a document is a passage of. A row of a table, or a document without a source, stands for itself. */
export function noteOf(document: Document): string {
  const { id, source } = document;
  return source?.start === undefined ? id : source.name;
}

/** The file that a document came from, where there is one. */
export function fileOf(document: Document): string {
  return document.source?.name ?? document.id;
}

/** A document's title in two parts: that of its note, and the headings from there to the passage. */
export function headingsOf(document: Document): { readonly title: string; readonly path: readonly string[] } {
  const headings = document.source?.headings ?? [];
  const path = headings.join(separator);
  const title = document.title ?? path;
  if (title === '') return { title: noteOf(document), path: [] };
  if (path === '') return { title, path: [] };
  if (title === path) return { title: headings[0], path: headings.slice(1) };
  return title.endsWith(separator + path)
    ? { title: title.slice(0, -(separator + path).length), path: headings }
    : { title, path: headings };
}

/** In one line. */
export function titleOf(document: Document): string {
  const { title, path } = headingsOf(document);
  return [title, ...path].join(separator);
}

export function byId(documents: readonly Document[]): ReadonlyMap<string, Document> {
  return new Map(documents.map((document) => [document.id, document]));
}

export function notesOf(documents: readonly Document[]): ReadonlySet<string> {
  return new Set(documents.map(noteOf));
}

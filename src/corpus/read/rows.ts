import type { JsonValue } from '../../base/json.ts';
import { createPacer } from '../../base/pacer.ts';
import { PassageIds } from '../passage-ids.ts';
import type { Document } from '../types.ts';
import { toJsonObject } from './to-json.ts';

const idFields = ['_id', 'id', 'key', 'uuid', 'slug', 'path', 'url'];
const titleFields = ['title', 'name', 'heading', 'subject', 'headline', 'question'];
const textFields = [
  'text',
  'content',
  'contents',
  'body',
  'markdown',
  'description',
  'abstract',
  'answer',
  'summary',
];
/** UTF-16 units of one row's text. */
const longestText = 5_000_000;

export interface Rows {
  readonly documents: Document[];
  /** Rows that hold no text, or are no row at all. */
  readonly bad: number;
}

/**
 * A row a document: an object with the usual names (`_id`, `title`, `text` as in BEIR; also id, name, content, body …), any
 * other object as lines `field: value`, or a bare string. What is neither id, title nor text is metadata. Rows are not
 * split: their ids are the caller's. In slices, as the lines of JSON are.
 */
export async function rowsToDocuments(
  name: string,
  rows: readonly unknown[],
  modified?: number,
): Promise<Rows> {
  const ids = new PassageIds(name);
  const used = new Set<string>();
  const documents: Document[] = [];
  const pacer = createPacer();
  for (const [index, row] of rows.entries()) {
    await pacer.pause();
    const read = typeof row === 'string' ? { text: row.toWellFormed() } : readRow(row);
    if (read === null || read.text.trim() === '' || read.text.length > longestText) continue;
    let id = 'id' in read ? read.id : undefined;
    if (id === undefined || used.has(id)) id = ids.section(`${index + 1}`);
    used.add(id);
    documents.push({
      ...read,
      id,
      source: { name, ...(modified !== undefined && { modified }) },
    });
  }
  return { documents, bad: rows.length - documents.length };
}

interface Row {
  readonly id?: string;
  readonly title?: string;
  readonly text: string;
  readonly metadata?: Readonly<Record<string, JsonValue>>;
}

function readRow(row: unknown): Row | null {
  const fields = toJsonObject(row);
  if (fields === null) return null;
  const rest = new Map(Object.entries(fields));
  const take = (names: readonly string[]): string | undefined => {
    for (const [field, value] of rest) {
      if (!names.includes(field.toLowerCase())) continue;
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      rest.delete(field);
      return String(value);
    }
    return undefined;
  };
  const id = take(idFields)?.trim();
  const title = take(titleFields)?.trim();
  const text = take(textFields) ?? asLines(rest);
  return {
    ...(id !== undefined && id !== '' && id.length <= 512 && !/\p{Cc}/u.test(id) && { id }),
    ...(title !== undefined && title !== '' && { title }),
    // A title alone is still something to find.
    text: text.trim() === '' ? (title ?? '') : text,
    ...(rest.size > 0 && { metadata: Object.fromEntries(rest) }),
  };
}

/** The fields that are text or number, one a line; they stay metadata too. */
function asLines(fields: ReadonlyMap<string, JsonValue>): string {
  return [...fields]
    .flatMap(([field, value]) => {
      const shown = typeof value === 'number' ? value.toString() : value;
      return typeof shown === 'string' && shown.trim() !== '' ? [`${field}: ${shown}`] : [];
    })
    .join('\n');
}

import { SelfIndexError } from '../../base/errors.ts';
import type { Outline } from '../outline.ts';
import { passagesOf, type PassageOptions } from '../passages.ts';
import type { Document } from '../types.ts';
import { parseCsv } from './csv.ts';
import { cleanText, decodeText, gunzip, tooLarge, type Decoded } from './decode.ts';
import { formatOf, stemOf, supportedExtensions, type FileFormat } from './formats.ts';
import { readHtml } from './html.ts';
import { parseJson, parseJsonLines, type ParsedRows } from './json.ts';
import { readMarkdown } from './markdown.ts';
import { readPlainText } from './plain-text.ts';
import { rowsToDocuments } from './rows.ts';
import type { ReadWarning } from './warnings.ts';

export interface ReadOptions extends PassageOptions {
  /** The format, where the name does not tell. */
  readonly format?: FileFormat;
  /** Largest size in bytes, unpacked; default 64 MB. */
  readonly maxBytes?: number;
}

export interface ReadResult {
  readonly documents: readonly Document[];
  readonly warnings: readonly ReadWarning[];
}

/**
 * A file to documents: notes, pages and code become passages; each row of JSON, JSONL or CSV becomes one document. The format
 * follows from the name (`formatOf`); `.gz` is unpacked. Pure: the same file gives the same documents with the same ids.
 *
 * @param name path, URL or file name; the beginning of the documents' ids
 * @throws SelfIndexError `unsupported-format`, `unreadable-file`, `document-too-large`; bad rows are warnings
 */
export async function readFile(
  name: string,
  content: Uint8Array | string,
  options: ReadOptions = {},
): Promise<ReadResult> {
  const format = options.format ?? formatOf(name);
  if (format === null) {
    throw new SelfIndexError(
      'unsupported-format',
      `“${name}” has an ending that is not known. These are: ${supportedExtensions.join(', ')} (also with .gz).`,
      { details: { name } },
    );
  }
  const { text, warnings } = await decoded(name, content, options.maxBytes ?? 64_000_000);
  const read = isRows(format)
    ? await readRows(name, text, format, options)
    : readWhole(name, text, format, options);
  const all = [...warnings, ...read.warnings];
  if (read.documents.length === 0) {
    all.push({ code: 'no-text', message: `“${name}” has no text to index.`, count: 1 });
  }
  return { documents: read.documents, warnings: all };
}

async function decoded(name: string, content: Uint8Array | string, limit: number): Promise<Decoded> {
  if (content.length > limit) throw tooLarge(name, limit);
  if (typeof content === 'string') return cleanText(name, content);
  const packed = content[0] === 0x1f && content[1] === 0x8b;
  return decodeText(name, packed || /\.gz$/i.test(name) ? await gunzip(name, content, limit) : content);
}

type RowFormat = 'json' | 'jsonl' | 'csv';

function isRows(format: FileFormat): format is RowFormat {
  return format === 'json' || format === 'jsonl' || format === 'csv';
}

async function readRows(
  name: string,
  text: string,
  format: RowFormat,
  options: ReadOptions,
): Promise<ReadResult> {
  const parse: Readonly<Record<RowFormat, () => ParsedRows | Promise<ParsedRows>>> = {
    json: () => parseJson(name, text),
    jsonl: () => parseJsonLines(text),
    csv: () => parseCsv(text),
  };
  const { rows, bad: unparsed } = await parse[format]();
  const { documents, bad: empty } = await rowsToDocuments(name, rows, options.modified);
  const bad = unparsed + empty;
  if (documents.length === 0 && unparsed > 0) {
    throw new SelfIndexError(
      'unreadable-file',
      `No row of “${name}” could be read as ${format.toUpperCase()}. Check that the file is what its name says.`,
      { details: { name, bad } },
    );
  }
  const message = `“${name}”: ${bad} of ${bad + documents.length} rows were left out, because they have no text or are broken.`;
  return { documents, warnings: bad === 0 ? [] : [{ code: 'bad-rows', message, count: bad }] };
}

function readWhole(
  name: string,
  text: string,
  format: Exclude<FileFormat, RowFormat>,
  options: ReadOptions,
): ReadResult {
  const read: Readonly<Record<typeof format, () => Outline & { readonly problem?: string }>> = {
    markdown: () => readMarkdown(text),
    html: () => readHtml(text, name),
    text: () => readPlainText(text),
    code: () => readPlainText(text, 'code'),
  };
  const { problem, ...outline } = read[format]();
  const documents = passagesOf(name, { ...outline, title: outline.title ?? stemOf(name) }, options);
  const message = `The front matter of “${name}” was read as text, because it is not YAML: ${problem ?? ''}`;
  return { documents, warnings: problem === undefined ? [] : [{ code: 'front-matter', message, count: 1 }] };
}

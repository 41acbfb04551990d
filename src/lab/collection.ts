import { SelfIndexError, messageOf } from '../base/errors.ts';
import { createPacer } from '../base/pacer.ts';
import type { Document } from '../corpus/types.ts';
import type { Qrels } from './measures.ts';

export interface CollectionQuery {
  readonly id: string;
  readonly text: string;
}

/** A test collection: what is searched, what is asked, and which answers are right. */
export interface Collection {
  readonly documents: readonly Document[];
  readonly queries: readonly CollectionQuery[];
  readonly qrels: Qrels;
}

/** The bytes of a BEIR folder's files; gzip is recognised by its first bytes. */
export interface CollectionFiles {
  /** Lines `{"_id", "title"?, "text"}`. */
  readonly corpus: Uint8Array;
  /** Lines `{"_id", "text"}`. */
  readonly queries: Uint8Array;
  /** Lines `query-id ⇥ corpus-id ⇥ score`, with or without that header. */
  readonly qrels: Uint8Array;
}

/**
 * Reads a collection in BEIR's layout (Thakur et al., 2021). Judgements of documents that the corpus lacks are kept:
 * they count in the denominators, as with trec_eval.
 *
 * @throws `unreadable-file` naming file and line.
 */
export async function readCollection(files: CollectionFiles): Promise<Collection> {
  const documents = await readDocuments(files.corpus);
  const queries = await readQueries(files.queries);
  return { documents, queries, qrels: await readJudgements(files.qrels, queries) };
}

/** Reads a file of documents: lines `{"_id", "title"?, "text"}`, gzip too; in slices, so that a page stays awake. */
export async function readDocuments(bytes: Uint8Array, signal?: AbortSignal): Promise<Document[]> {
  return (await readRecords('corpus', await textOf('corpus', bytes), signal)).map(toDocument);
}

/** Reads a file of queries: lines `{"_id", "text"}`, gzip too. */
export async function readQueries(bytes: Uint8Array): Promise<CollectionQuery[]> {
  const records = await readRecords('queries', await textOf('queries', bytes));
  return records.map(({ id, text }) => ({ id, text }));
}

/** Reads a file of judgements of these queries: lines `query-id ⇥ corpus-id ⇥ score`, gzip too. */
export async function readJudgements(bytes: Uint8Array, queries: readonly CollectionQuery[]): Promise<Qrels> {
  return readQrels(await textOf('qrels', bytes), new Set(queries.map(({ id }) => id)));
}

type FileName = keyof CollectionFiles;

function unreadable(file: FileName, line: number | null, problem: string, cause?: unknown): SelfIndexError {
  return new SelfIndexError(
    'unreadable-file',
    line === null
      ? `The ${file} file of the collection ${problem}.`
      : `Line ${line} of the ${file} file of the collection ${problem}.`,
    { details: { file, line }, cause },
  );
}

async function textOf(file: FileName, bytes: Uint8Array): Promise<string> {
  try {
    const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? await gunzip(bytes) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    throw unreadable(file, null, `is neither UTF-8 text nor a whole gzip of it (${messageOf(error)})`, error);
  }
}

async function gunzip(bytes: Uint8Array): Promise<ArrayBuffer> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

interface BeirRecord {
  readonly id: string;
  readonly text: string;
  readonly title: string;
}

function toDocument({ id, text, title }: BeirRecord): Document {
  return title === '' ? { id, text } : { id, text, title };
}

async function readRecords(
  file: 'corpus' | 'queries',
  text: string,
  signal?: AbortSignal,
): Promise<BeirRecord[]> {
  const seen = new Set<string>();
  const records: BeirRecord[] = [];
  const pacer = createPacer(signal);
  for (const { line, number } of linesOf(text)) {
    const record = readRecord(file, line, number);
    if (seen.has(record.id)) throw unreadable(file, number, `repeats the id ${JSON.stringify(record.id)}`);
    seen.add(record.id);
    records.push(record);
    await pacer.pause();
  }
  if (records.length === 0) throw unreadable(file, null, 'holds no record');
  return records;
}

function readRecord(file: FileName, line: string, number: number): BeirRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw unreadable(file, number, `is not JSON (${messageOf(error)})`, error);
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw unreadable(file, number, 'is not a JSON object');
  const fields = value as Readonly<Record<string, unknown>>;
  const string = (name: string, fallback?: string) => {
    const field = fields[name] ?? fallback;
    if (typeof field !== 'string') throw unreadable(file, number, `lacks the text field "${name}"`);
    return field;
  };
  const id = string('_id');
  if (id === '') throw unreadable(file, number, 'has an empty "_id"');
  return { id, text: string('text'), title: string('title', '') };
}

function readQrels(text: string, queries: ReadonlySet<string>): Qrels {
  const qrels = new Map<string, Map<string, number>>();
  for (const { line, number } of linesOf(text)) {
    const fields = line.split('\t');
    if (number === 1 && fields[0] === 'query-id') continue;
    if (fields.length !== 3 || !/^-?\d+$/.test(fields[2]))
      throw unreadable('qrels', number, 'is not "query id, tab, document id, tab, whole number"');
    const [query, document, score] = fields;
    if (!queries.has(query))
      throw unreadable('qrels', number, `judges the query ${JSON.stringify(query)}, which queries lacks`);
    const judgements = qrels.get(query) ?? new Map<string, number>();
    if (judgements.has(document)) throw unreadable('qrels', number, 'judges a pair a second time');
    qrels.set(query, judgements.set(document, Number(score)));
  }
  if (qrels.size === 0) throw unreadable('qrels', null, 'holds no judgement');
  return qrels;
}

/** Every line that is not blank, numbered from 1; found one by one, so that nothing large is made of a large text at once. */
function* linesOf(text: string): Generator<{ readonly line: string; readonly number: number }> {
  for (let start = 0, number = 1; start < text.length; number++) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const line = text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end);
    if (line.trim() !== '') yield { line, number };
    start = end + 1;
  }
}

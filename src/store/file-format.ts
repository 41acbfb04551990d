import { SelfIndexError } from '../base/errors.ts';
import { batch, document, journalEntry, keyRecord, query, revision, run, version } from './records.ts';
import { count, fields, list, nonEmptyString, oneOf, presentJson, type Check } from './shape.ts';
import type { Snapshot, VectorBlock } from './snapshot.ts';

/**
 * The export file, format 1:
 *
 *     8 bytes   magic
 *     4         format version, little endian like all numbers
 *     32        SHA-256 of all that follows
 *     4         length of the header
 *     …         header: JSON, `Header` below
 *     …         the sections one after another, in the header's order and with its lengths
 *
 * A section holds JSON, one record a line, gzipped; `vectorData` holds the float32 vectors of the blocks of `vectors`, row
 * by row. Nothing in it says when or where it was made: equal contents give equal files.
 */
export const magic = Uint8Array.of(0x89, 0x53, 0x49, 0x58, 0x0d, 0x0a, 0x1a, 0x0a);
export const formatVersion = 1;
export const digestOffset = magic.length + 4;
export const headerOffset = digestOffset + 32;
export const longestHeader = 65_536;

type VectorHead = Omit<VectorBlock, 'data'>;

/** Sections of records with the shape of each. */
export const recordSections: { readonly [K in keyof Snapshot]: Check } = {
  documents: document,
  keys: keyRecord,
  versions: version,
  revisions: revision,
  queries: query,
  pendingQueries: query,
  runs: run,
  batches: batch,
  journal: journalEntry,
  settings: fields<Snapshot['settings'][number]>({ name: nonEmptyString, value: presentJson }),
  answers: fields<Snapshot['answers'][number]>({ hash: nonEmptyString, answer: presentJson }),
  vectors: fields<VectorHead>({ space: nonEmptyString, dimensions: count, hashes: list(nonEmptyString) }),
};

export type RecordSection = keyof Snapshot;
export const recordSectionNames = Object.keys(recordSections) as RecordSection[];
export const vectorData = 'vectorData';

export interface Section {
  readonly name: RecordSection | typeof vectorData;
  readonly encoding: 'gzip' | 'none';
  /** Lines; of `vectorData`: vectors. */
  readonly records: number;
  /** Bytes when decoded. */
  readonly bytes: number;
  /** Bytes in the file. */
  readonly stored: number;
}

export interface Header {
  readonly sections: readonly Section[];
}

export const headerShape = fields<Header>({
  sections: list(
    fields<Section>({
      name: oneOf(...recordSectionNames, vectorData),
      encoding: oneOf('gzip', 'none'),
      records: count,
      bytes: count,
      stored: count,
    }),
  ),
});

const alwaysPlausible = 16 * 1024 * 1024;
const largestRatio = 200;

/** False where so few bytes claim to hold so many that it looks like a zip bomb; a writer then stores them as they are. */
export function plausibleSize(bytes: number, stored: number): boolean {
  return bytes <= alwaysPlausible || bytes <= largestRatio * stored;
}

export function corrupt(what: string, cause?: unknown): SelfIndexError {
  return new SelfIndexError(
    'import-corrupt',
    `The file is damaged or was changed: ${shortened(what)}. The index was left as it was; import another copy of the file.`,
    { cause },
  );
}

/** What is quoted comes from the file and may be of any length. */
function shortened(text: string): string {
  return text.length <= 300 ? text.replace(/\.$/, '') : `${text.slice(0, 300)}…`;
}

export function unsupported(what: string): SelfIndexError {
  return new SelfIndexError('import-unsupported', `${what} The index was left as it was.`);
}

import { sha256 } from '@noble/hashes/sha2.js';
import { SelfIndexError, messageOf } from '../base/errors.ts';
import { inPieces, readChunks, readLines, through } from './byte-streams.ts';
import {
  corrupt,
  digestOffset,
  formatVersion,
  headerOffset,
  headerShape,
  longestHeader,
  magic,
  plausibleSize,
  recordSectionNames,
  recordSections,
  unsupported,
  vectorData,
  type Header,
  type RecordSection,
  type Section,
} from './file-format.ts';
import { checkSnapshot } from './snapshot-checks.ts';
import type { Snapshot, VectorBlock } from './snapshot.ts';

/** Of gzip: so that a bomb can put at most 16 MB into memory before it is seen to be one. */
const pieceLength = 16_384;

/**
 * Reads and checks a whole export file; nothing that it claims is believed before it is seen.
 * @throws SelfIndexError `import-unsupported`, `import-corrupt`.
 */
export async function decodeSnapshot(file: Blob): Promise<Snapshot> {
  try {
    await checkOutside(file);
    const { sections, start } = await readHeader(file);
    const snapshot = await readSections(file, sections, start);
    checkSnapshot(snapshot);
    return snapshot;
  } catch (error) {
    if (error instanceof SelfIndexError) throw error;
    throw corrupt(messageOf(error), error);
  }
}

async function checkOutside(file: Blob): Promise<void> {
  const start = await bytesAt(file, 0, headerOffset);
  if (start.length < magic.length || magic.some((byte, i) => start[i] !== byte)) {
    throw unsupported('This is not an export of Self-Index. Choose a file that an index was exported to.');
  }
  if (start.length < headerOffset) throw corrupt('it ends too early');
  const version = numberAt(start, magic.length);
  if (version === 0 || version > formatVersion) {
    throw unsupported(
      `The file has format ${version}; this release reads formats up to ${formatVersion}. Update Self-Index and import it again.`,
    );
  }
  const digest = sha256.create();
  for await (const chunk of readChunks(file.slice(headerOffset).stream())) digest.update(chunk);
  const found = digest.digest();
  if (found.some((byte, i) => byte !== start[digestOffset + i])) throw corrupt('its checksum does not match');
}

async function readHeader(file: Blob): Promise<Header & { start: number }> {
  const length = numberAt(await bytesAt(file, headerOffset, 4), 0);
  if (length > longestHeader) throw corrupt('its header is too long');
  const bytes = await bytesAt(file, headerOffset + 4, length);
  const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (!isHeader(header)) throw corrupt(`its header${headerShape(header)}`);
  const expected = [...recordSectionNames, vectorData];
  if (header.sections.map(({ name }) => name).join() !== expected.join()) {
    throw corrupt('its sections are not those of its format');
  }
  const start = headerOffset + 4 + length;
  const end = header.sections.reduce((sum, section) => sum + section.stored, start);
  if (end !== file.size) throw corrupt('its sections do not fill it');
  return { sections: header.sections, start };
}

function isHeader(value: unknown): value is Header {
  return headerShape(value) === null;
}

async function readSections(file: Blob, sections: readonly Section[], start: number): Promise<Snapshot> {
  const records = new Map<string, unknown[]>();
  let offset = start;
  let vectors: VectorBlock[] = [];
  for (const section of sections) {
    const stored = file.slice(offset, offset + section.stored);
    offset += section.stored;
    if (section.name === vectorData) {
      vectors = await readVectors(stored, section, (records.get('vectors') ?? []) as VectorBlock[]);
    } else records.set(section.name, await readRecords(stored, section, section.name));
  }
  return { ...(Object.fromEntries(records) as unknown as Snapshot), vectors };
}

async function readRecords(stored: Blob, section: Section, name: RecordSection): Promise<unknown[]> {
  const { encoding, bytes } = section;
  if (encoding === 'gzip' ? !plausibleSize(bytes, section.stored) : bytes !== section.stored) {
    throw corrupt(`its section ${name} claims to be larger than it can be`);
  }
  const raw = stored.stream();
  const chunks =
    encoding === 'gzip'
      ? through(inPieces(raw, pieceLength), new DecompressionStream('gzip'))
      : readChunks(raw);
  const records: unknown[] = [];
  for await (const line of readLines(exactly(bytes, chunks, name))) {
    if (records.length === section.records) throw corrupt(`its section ${name} has too many records`);
    const record: unknown = JSON.parse(line);
    const problem = recordSections[name](record);
    if (problem !== null) throw corrupt(`record ${records.length + 1} of its section ${name}${problem}`);
    records.push(record);
  }
  if (records.length !== section.records) throw corrupt(`its section ${name} lacks records`);
  return records;
}

/** Passes chunks on and stops as soon as they are more than they should be. */
async function* exactly(bytes: number, chunks: AsyncIterable<Uint8Array>, name: string) {
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    if (seen > bytes) throw corrupt(`its section ${name} is longer than it says`);
    yield chunk;
  }
  if (seen !== bytes) throw corrupt(`its section ${name} is shorter than it says`);
}

async function readVectors(
  stored: Blob,
  section: Section,
  heads: readonly Omit<VectorBlock, 'data'>[],
): Promise<VectorBlock[]> {
  const rows = heads.reduce((sum, { hashes }) => sum + hashes.length, 0);
  const bytes = heads.reduce((sum, { hashes, dimensions }) => sum + 4 * hashes.length * dimensions, 0);
  if (
    section.encoding !== 'none' ||
    section.records !== rows ||
    [section.bytes, stored.size].some((n) => n !== bytes)
  ) {
    throw corrupt('its vectors do not fit their list');
  }
  const blocks: VectorBlock[] = [];
  let offset = 0;
  for (const head of heads) {
    const length = 4 * head.hashes.length * head.dimensions;
    const data = new Float32Array(await stored.slice(offset, offset + length).arrayBuffer());
    blocks.push({ ...head, data });
    offset += length;
  }
  return blocks;
}

async function bytesAt(file: Blob, offset: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(offset, offset + length).arrayBuffer());
}

function numberAt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
}

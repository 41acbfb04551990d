import { SelfIndexError } from '../../base/errors.ts';
import type { Analyser } from '../../corpus/types.ts';
import { Bm25Index } from './bm25-index.ts';
import { ByteReader, checksum, corrupt } from './bytes.ts';
import { kinds, magic } from './serialise.ts';
import { keyLength, type TermCounts } from './term-counts.ts';

interface SavedKey {
  readonly id: string;
  readonly document: number;
}

/** The index that `serialise` wrote. Throws as `Bm25Retriever.load` says. */
export function deserialise(bytes: Uint8Array, analyser: Analyser): Bm25Index {
  if (bytes.length < magic.length + 2 || magic.subarray(0, 4).some((byte, i) => bytes[i] !== byte))
    throw corrupt();
  if (bytes[4] !== magic[4]) {
    throw new SelfIndexError(
      'import-unsupported',
      `The saved search index has format ${bytes[4]}; this version reads ${magic[4]}. Build it again from the documents.`,
    );
  }
  const tail = bytes[bytes.length - 1];
  const end = bytes.length - 1 - tail;
  if (
    end < magic.length ||
    new ByteReader(bytes.subarray(end)).number() !== checksum(bytes.subarray(0, end))
  ) {
    throw corrupt();
  }
  const reader = new ByteReader(bytes.subarray(magic.length, end));
  const analyserId = reader.text();
  if (analyserId !== analyser.id) {
    throw new SelfIndexError(
      'import-unsupported',
      `The saved search index was made with the analyser ${analyserId}, not ${analyser.id}. Build it again from the documents.`,
    );
  }
  const index = new Bm25Index(analyser, { k1: reader.float(), b: reader.float() });

  const documents = readSorted(reader);
  const keys = kinds.map(() => readKeys(reader, documents));
  const terms = readSorted(reader);
  for (const term of terms) index.vocabulary.intern(term);
  const frequencies = Array.from({ length: reader.number() }, () => reader.float());
  keys.forEach((own, i) => {
    if (own.length === 0) return;
    const rows = readRows(reader, own.length, terms.length, frequencies);
    own.forEach(({ id, document }, slot) => {
      index.insert({ id, documentId: documents[document], kind: kinds[i] }, rows[slot]);
    });
  });
  if (reader.left > 0) throw corrupt();
  return index;
}

function readSorted(reader: ByteReader): string[] {
  const texts: string[] = [];
  const count = reader.number();
  let previous = '';
  for (let i = 0; i < count; i++) {
    previous = previous.slice(0, reader.number()) + reader.text();
    texts.push(previous);
  }
  return texts;
}

function readKeys(reader: ByteReader, documents: readonly string[]): SavedKey[] {
  const count = reader.number();
  const keys: SavedKey[] = [];
  let document = 0;
  for (let i = 0; i < count; i++) {
    document += reader.number();
    if (document >= documents.length) throw corrupt();
    keys.push({ id: readKeyId(reader, documents[document]), document });
  }
  return keys;
}

function readKeyId(reader: ByteReader, documentId: string): string {
  if (reader.byte() === 0) return reader.text();
  const hash = Array.from(reader.raw(16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${documentId}\u001f${hash}`;
}

/** Postings are saved by term; rows are wanted by slot. Terms come in ascending order either way. */
function readRows(
  reader: ByteReader,
  slots: number,
  terms: number,
  frequencies: readonly number[],
): TermCounts[] {
  const rows = Array.from({ length: slots }, () => ({ terms: [] as number[], frequencies: [] as number[] }));
  for (let term = 0; term < terms; term++) {
    const count = reader.number();
    let next = 0;
    for (let i = 0; i < count; i++) {
      const gap = reader.number();
      const code = gap % 2 === 1 ? reader.number() : 0;
      const slot = next + Math.floor(gap / 2);
      if (slot >= slots || code >= frequencies.length) throw corrupt();
      rows[slot].terms.push(term);
      rows[slot].frequencies.push(frequencies[code]);
      next = slot + 1;
    }
  }
  return rows.map((row) => ({
    terms: Uint32Array.from(row.terms),
    frequencies: Float32Array.from(row.frequencies),
    length: keyLength(row.frequencies),
  }));
}

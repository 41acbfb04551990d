import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { generated, query, revision, runRecord, usage, version } from './samples.ts';

/** Writes export files of format 1 after its description, without the code under test: right ones and forged ones. */

export interface ForgedSection {
  readonly name: string;
  readonly data: Uint8Array;
  readonly encoding: string;
  readonly records: number;
  readonly bytes: number;
  /** What the header says; the truth by default. */
  readonly stored?: number;
}

/** A section of records, gzipped. */
export function lines(name: string, records: readonly unknown[], claim: object = {}): ForgedSection {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  return raw(name, Buffer.from(text), { records: records.length, ...claim });
}

/** A section of any bytes, gzipped. */
export function raw(name: string, bytes: Uint8Array, claim: object = {}): ForgedSection {
  return { name, data: gzipSync(bytes), encoding: 'gzip', records: 1, bytes: bytes.length, ...claim };
}

/** A small index with something in every section. */
export const goodRecords = {
  documents: [
    { id: 'a', text: 'one' },
    { id: 'b', text: 'two', metadata: { n: 1 } },
  ] as unknown[],
  keys: [
    { ...generated('a', 'first', 1), died: 2 },
    generated('a', 'first', 3),
    generated('b', 'second', 1),
  ] as unknown[],
  versions: [
    { version: 0, parent: null, kind: 'initial', at: 1 },
    version(1),
    version(2),
    version(3, { kind: 'rollback', restores: 1 }),
  ] as unknown[],
  revisions: [revision('r1', { documentId: 'a', version: 1 })] as unknown[],
  queries: [query('q1')] as unknown[],
  pendingQueries: [query('q2', 'observed')] as unknown[],
  runs: [runRecord()] as unknown[],
  batches: [{ runId: 'run', iteration: 1, version: 3, queries: [], heldOut: [], usage }] as unknown[],
  journal: [
    {
      runId: 'run',
      iteration: 1,
      version: 3,
      group: 0,
      revisions: [],
      usage: { revise: usage },
      milliseconds: 1,
    },
  ] as unknown[],
  settings: [{ name: 'depth', value: 30 }] as unknown[],
  answers: [{ hash: 'h', answer: { text: 'x' } }] as unknown[],
  vectors: [{ space: 's', dimensions: 2, hashes: ['v1', 'v2'] }] as unknown[],
};

export const goodVectors = Float32Array.of(1, 2, 3, 4);

export function sectionsOf(
  records: Partial<typeof goodRecords> = {},
  vectors = goodVectors,
): ForgedSection[] {
  const all = { ...goodRecords, ...records };
  const data = new Uint8Array(vectors.buffer);
  return [
    ...Object.entries(all).map(([name, items]) => lines(name, items)),
    { name: 'vectorData', data, encoding: 'none', records: vectors.length / 2, bytes: data.length },
  ];
}

/** The file, its checksum right whatever it holds. */
export function craft(
  sections: readonly ForgedSection[],
  forged: { format?: number; header?: string; headerLength?: number } = {},
): Blob {
  const told = sections.map(({ name, encoding, records, bytes, data, stored = data.length }) => ({
    name,
    encoding,
    records,
    bytes,
    stored,
  }));
  const header = Buffer.from(forged.header ?? JSON.stringify({ sections: told }));
  const body = Buffer.concat([
    number(forged.headerLength ?? header.length),
    header,
    ...sections.map(({ data }) => data),
  ]);
  const digest = createHash('sha256').update(body).digest();
  const magic = Buffer.from('895349580d0a1a0a', 'hex');
  return new Blob([Buffer.concat([magic, number(forged.format ?? 1), digest, body])]);
}

/** Offsets at which the parts of a file begin, and its end. */
export async function borders(file: Blob): Promise<number[]> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const headerLength = bytes.readUInt32LE(44);
  const header = JSON.parse(bytes.subarray(48, 48 + headerLength).toString()) as {
    sections: { stored: number }[];
  };
  const found = [0, 8, 12, 44, 48, 48 + headerLength];
  for (const { stored } of header.sections) found.push(found[found.length - 1] + stored);
  return found;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

import { sha256 } from '@noble/hashes/sha2.js';
import { readChunks, jsonLines, streamOf, through } from './byte-streams.ts';
import {
  formatVersion,
  magic,
  plausibleSize,
  recordSectionNames,
  vectorData,
  type Header,
  type Section,
} from './file-format.ts';
import type { Snapshot } from './snapshot.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The export file of a snapshot (file-format.ts). */
export async function encodeSnapshot(snapshot: Snapshot): Promise<Blob> {
  const sections: Section[] = [];
  const payload: Bytes[] = [];
  for (const name of recordSectionNames) {
    const records: readonly unknown[] =
      name === 'vectors'
        ? snapshot.vectors.map(({ space, dimensions, hashes }) => ({ space, dimensions, hashes }))
        : snapshot[name];
    const { chunks, ...sizes } = await encodeLines(records);
    sections.push({ name, records: records.length, ...sizes });
    payload.push(...chunks);
  }
  const rows = snapshot.vectors.map(({ data }) => bytesOf(data));
  const bytes = rows.reduce((sum, row) => sum + row.length, 0);
  sections.push({
    name: vectorData,
    encoding: 'none',
    records: snapshot.vectors.reduce((sum, block) => sum + block.hashes.length, 0),
    bytes,
    stored: bytes,
  });
  const header = new TextEncoder().encode(JSON.stringify({ sections } satisfies Header));
  const digested = [uint32(header.length), header, ...payload, ...rows];
  const digest = sha256.create();
  for (const part of digested) digest.update(part);
  const parts = [magic, uint32(formatVersion), Uint8Array.from(digest.digest()), ...digested];
  return new Blob(parts, { type: 'application/octet-stream' });
}

async function encodeLines(records: readonly unknown[]) {
  const count = { bytes: 0 };
  const stored = (chunks: readonly Bytes[]) => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const gzipped: Bytes[] = [];
  for await (const chunk of through(
    streamOf(counted(jsonLines(records), count)),
    new CompressionStream('gzip'),
  ))
    gzipped.push(Uint8Array.from(chunk));
  const { bytes } = count;
  if (plausibleSize(bytes, stored(gzipped))) {
    return { encoding: 'gzip' as const, chunks: gzipped, bytes, stored: stored(gzipped) };
  }
  const chunks: Bytes[] = [];
  for await (const chunk of readChunks(streamOf(jsonLines(records)))) chunks.push(chunk);
  return { encoding: 'none' as const, chunks, bytes, stored: bytes };
}

function* counted(chunks: Iterable<Bytes>, count: { bytes: number }): Generator<Bytes> {
  for (const chunk of chunks) {
    count.bytes += chunk.length;
    yield chunk;
  }
}

function bytesOf(data: Float32Array): Bytes {
  return new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer);
}

function uint32(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

import { SelfIndexError } from '../base/errors.ts';

/** A vector with the hash of the text that it stands for. */
export interface PackedVector {
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  readonly vector: Float32Array;
}

const header = 8;
const hashBytes = 32;

/**
 * Vectors of one length as bytes, for the lab's cache on disk: two little-endian uint32 (count, dimensions), then the
 * hashes of 32 bytes each, then the vectors as float32.
 */
export function packVectors(entries: readonly PackedVector[]): Uint8Array<ArrayBuffer> {
  const dimensions = entries[0]?.vector.length ?? 0;
  const bytes = new Uint8Array(header + entries.length * (hashBytes + dimensions * 4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, entries.length, true);
  view.setUint32(4, dimensions, true);
  const vectors = header + entries.length * hashBytes;
  entries.forEach(({ hash, vector }, row) => {
    for (let i = 0; i < hashBytes; i++)
      bytes[header + row * hashBytes + i] = Number.parseInt(hash.slice(i * 2, i * 2 + 2), 16);
    vector.forEach((x, i) => view.setFloat32(vectors + (row * dimensions + i) * 4, x, true));
  });
  return bytes;
}

/** @throws `import-corrupt` where the length does not fit the header. */
export function parsePackedVectors(bytes: Uint8Array): PackedVector[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length < header ? 0 : view.getUint32(0, true);
  const dimensions = bytes.length < header ? 0 : view.getUint32(4, true);
  const vectors = header + count * hashBytes;
  if (bytes.length !== vectors + count * dimensions * 4)
    throw new SelfIndexError('import-corrupt', 'A batch of cached vectors is not as long as it says.');
  return Array.from({ length: count }, (_, row) => {
    const hash = [...bytes.subarray(header + row * hashBytes, header + (row + 1) * hashBytes)]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    const vector = Float32Array.from({ length: dimensions }, (_, i) =>
      view.getFloat32(vectors + (row * dimensions + i) * 4, true),
    );
    return { hash, vector };
  });
}

import { SelfIndexError } from '../../base/errors.ts';

const encoder = new TextEncoder();
const loneSurrogate = /\p{Surrogate}/u;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Appends numbers and texts to a growing array of bytes. */
export class ByteWriter {
  private bytes = new Uint8Array(4096);
  private length = 0;

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** A whole number from 0 to 2^32 − 1, seven bits a byte, lowest first. */
  number(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 128) {
      this.bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  float(value: number): void {
    this.raw(new Uint8Array(Float64Array.of(value).buffer));
  }

  /** UTF-8; UTF-16 where UTF-8 would lose a lone surrogate. */
  text(text: string): void {
    const lone = loneSurrogate.test(text);
    const bytes = lone
      ? new Uint8Array(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).buffer)
      : encoder.encode(text);
    this.number(bytes.length * 2 + (lone ? 1 : 0));
    this.raw(bytes);
  }

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.length + more, this.bytes.length * 2));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** Reads what a `ByteWriter` wrote. Whatever does not fit throws `import-corrupt`. */
export class ByteReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  raw(length: number): Uint8Array {
    if (length > this.left) throw corrupt();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  byte(): number {
    if (this.left < 1) throw corrupt();
    return this.bytes[this.at++];
  }

  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw corrupt();
  }

  float(): number {
    return new Float64Array(this.raw(8).slice().buffer)[0];
  }

  text(): string {
    const header = this.number();
    const bytes = this.raw(Math.floor(header / 2));
    try {
      return header % 2 === 0
        ? decoder.decode(bytes)
        : String.fromCharCode(...new Uint16Array(bytes.slice().buffer));
    } catch {
      throw corrupt();
    }
  }
}

/** FNV-1a in 32 bits: no change of a single byte goes unnoticed. */
export function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}

export function corrupt(): SelfIndexError {
  return new SelfIndexError(
    'import-corrupt',
    'The saved search index is damaged: bytes are missing or changed. Build it again from the documents.',
  );
}

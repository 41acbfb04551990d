import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from './json.ts';

/** SHA-256 in lower-case hex. Synchronous, so pure code and open database transactions can use it. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data));
}

/** SHA-256 of a value's canonical JSON: the name under which it is cached. */
export function contentHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

import { tooLarge } from '../../corpus/read/decode.ts';

/** Of one file, unpacked; larger ones are not even opened. */
export const maxBytes = 64_000_000;

/** @throws SelfIndexError `document-too-large` */
export function refuseLarge(path: string, file: File): void {
  if (file.size > maxBytes) throw tooLarge(path, maxBytes);
}

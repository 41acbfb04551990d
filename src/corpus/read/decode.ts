import { SelfIndexError, messageOf } from '../../base/errors.ts';
import type { ReadWarning } from './warnings.ts';

export interface Decoded {
  /** Well-formed, with line feeds alone at the ends of lines, without byte order mark and NUL. */
  readonly text: string;
  readonly warnings: readonly ReadWarning[];
}

/**
 * Bytes to text: UTF-8 or UTF-16 by the byte order mark, else UTF-8, else what an HTML page declares, else Windows-1252 with
 * a warning.
 * @throws SelfIndexError `unsupported-format` for what is no text at all
 */
export function decodeText(name: string, bytes: Uint8Array): Decoded {
  const marked = byMark(bytes);
  const warnings: ReadWarning[] = [];
  let text: string;
  if (marked !== null) text = new TextDecoder(marked).decode(bytes);
  else {
    refuseBinary(name, bytes);
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      const encoding = declared(bytes) ?? 'windows-1252';
      text = new TextDecoder(encoding).decode(bytes);
      const message = `“${name}” is not UTF-8; it was read as ${encoding}. If letters look wrong, save it as UTF-8.`;
      warnings.push({ code: 'encoding', message, count: 1 });
    }
  }
  return { ...cleanText(name, text, warnings) };
}

/** Text that was given as such: lone surrogates become U+FFFD, NUL a space, every line ends in a line feed. */
export function cleanText(name: string, text: string, warnings: readonly ReadWarning[] = []): Decoded {
  const broken = (text.match(/\0|\ufffd/g)?.length ?? 0) + (text.isWellFormed() ? 0 : 1);
  const message = `“${name}” has characters that are no text (${broken}); they were replaced.`;
  const clean = text
    .replace(/^\ufeff/, '')
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(/\r\n?/g, '\n');
  return {
    text: clean,
    warnings: broken === 0 ? warnings : [...warnings, { code: 'encoding', message, count: broken }],
  };
}

function byMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null;
}

/** Control characters that no text has, in more than one byte of a hundred. */
function refuseBinary(name: string, bytes: Uint8Array): void {
  const head = bytes.subarray(0, 65_536);
  const strange = head.reduce((count, byte) => count + (byte < 7 || (byte > 13 && byte < 27) ? 1 : 0), 0);
  if (strange * 100 > head.length) {
    throw new SelfIndexError(
      'unsupported-format',
      `“${name}” is no text file. Give Markdown, HTML, plain text, JSON or CSV (gzip allowed).`,
      { details: { name } },
    );
  }
}

/** The encoding that an HTML page states in its first kilobyte, if the platform knows it. */
function declared(bytes: Uint8Array): string | null {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const label = /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1];
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/**
 * Unpacks gzip, up to a limit: a small file can hold endless zeros.
 * @throws SelfIndexError `unreadable-file`, `document-too-large`
 */
export async function gunzip(name: string, bytes: Uint8Array, limit: number): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'));
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as ReadableStream<Uint8Array>) {
      length += chunk.length;
      if (length > limit) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new SelfIndexError(
      'unreadable-file',
      `“${name}” cannot be unpacked (${messageOf(error)}). It is damaged or no gzip file; fetch or pack it again.`,
      { details: { name }, cause: error },
    );
  }
  if (length > limit) throw tooLarge(name, limit);
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export function tooLarge(name: string, limit: number): SelfIndexError {
  const megabytes = Math.round(limit / 1e6);
  return new SelfIndexError(
    'document-too-large',
    `“${name}” has more than ${megabytes} MB of text. Split it into smaller files, or raise the limit (maxBytes).`,
    { details: { name, limit } },
  );
}

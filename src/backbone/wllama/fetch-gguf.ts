import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { LoadOptions } from '../../embed/model-files.ts';
import type { WllamaSpec } from '../generator-spec.ts';
import { longestHead, readGgufHead } from './gguf.ts';
import type { GgufHead } from './gguf.ts';

export interface GgufFile {
  readonly blob: Blob;
  readonly head: GgufHead;
  /** First 16 hex digits of its SHA-256. */
  readonly revision: string;
}

/**
 * Fetches a GGUF file from `spec.base + spec.model`, and from nowhere else, and looks at it.
 *
 * @throws SelfIndexError `invalid-argument` for a name that is none; `model-not-found` for a missing file, also where a server
 *   answers with a web page instead; `model-corrupt` for what is no GGUF file; `model-load-failed` where the server or the network
 *   fails. The signal's reason after an abort.
 */
export async function fetchGguf(
  { model, base = '/models/' }: Pick<WllamaSpec, 'model' | 'base'>,
  { signal, onProgress }: LoadOptions,
): Promise<GgufFile> {
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*\.gguf$/.test(model))
    throw new SelfIndexError(
      'invalid-argument',
      `"${model}" is not the name of a GGUF file: letters, digits, - _ . / only, and .gguf at its end.`,
    );
  const url = new URL(`${base.replace(/\/?$/, '/')}${model}`, globalThis.location?.href);
  const details = { model, url: url.href };
  const missing = (why: string) =>
    new SelfIndexError('model-not-found', `There is no model at ${url.href} (${why}).`, { details });
  try {
    const response = await fetch(url, { signal });
    if (response.status === 404 || response.status === 410)
      throw missing(`the server answered ${response.status}`);
    if (!response.ok)
      throw new SelfIndexError(
        'model-load-failed',
        `The server refused ${url.href} (status ${response.status}). Try again later, or serve the model yourself.`,
        { details: { ...details, status: response.status } },
      );
    if (response.headers.get('content-type')?.startsWith('text/html'))
      throw missing('the server answered with a web page');
    return await read(response, model, onProgress);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SelfIndexError || isAbort(cause)) throw cause;
    throw new SelfIndexError(
      'model-load-failed',
      `${url.href} could not be fetched: ${messageOf(cause)}. Check the connection and the server.`,
      { details, cause },
    );
  }
}

async function read(
  response: Response,
  name: string,
  onProgress: LoadOptions['onProgress'],
): Promise<GgufFile> {
  const hash = sha256.create();
  const announced = Number(response.headers.get('content-length'));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
    chunks.push(chunk);
    loaded += chunk.length;
    onProgress?.(loaded, Math.max(announced, loaded));
  }
  const blob = new Blob(chunks);
  const head = readGgufHead(new Uint8Array(await blob.slice(0, longestHead).arrayBuffer()), name);
  if (blob.size <= head.leastBytes)
    throw new SelfIndexError(
      'model-corrupt',
      `${name} is cut off: it has ${blob.size} bytes, and its last weights begin at ${head.leastBytes}. Fetch it again.`,
      { details: { file: name } },
    );
  return { blob, head, revision: bytesToHex(hash.digest()).slice(0, 16) };
}

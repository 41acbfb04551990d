import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import type { WebLlmSpec } from '../generator-spec.ts';

/** What `webllm.json` in a model's folder says, checked: WebLLM's own record of a model, addresses relative to the folder. */
export interface WebLlmRecord {
  /** Absolute address of the folder; its files lie under `resolve/main/`. */
  readonly model: string;
  /** Absolute address of the compiled program (.wasm). */
  readonly library: string;
  readonly features: readonly string[];
  /** SRI hashes (`sha256-…`) of `mlc-chat-config.json`, the program and the tokeniser's files. */
  readonly integrity: {
    readonly config?: string;
    readonly model_lib?: string;
    readonly tokenizer?: { readonly [file: string]: string };
  };
  /** From `mlc-chat-config.json`, at most 4096: memory on the GPU is set aside for all of it. */
  readonly contextTokens: number;
}

const mostContext = 4096;

const hash = /^sha(256|384|512)-[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads what is to be known of a model before its weights are fetched: `webllm.json`, its configuration, and whether its program is
 * there. WebLLM itself would keep a web page under a file's name in its cache for ever, and say of a missing file only that the
 * cache failed.
 *
 * @throws SelfIndexError `invalid-argument` for a name that is none; `model-not-found` for a file that is missing, or a web page;
 *   `model-corrupt` for one that does not hold what it should; `model-load-failed` where the network fails
 */
export async function fetchRecord(
  { model, base = '/models/' }: Pick<WebLlmSpec, 'model' | 'base'>,
  signal?: AbortSignal,
): Promise<WebLlmRecord> {
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(model))
    throw new SelfIndexError(
      'invalid-argument',
      `"${model}" is not the name of a model: letters, digits, - _ . / only.`,
    );
  const folder = new URL(`${base.replace(/\/?$/, '/')}${model}/`, globalThis.location?.href);
  const recordUrl = new URL('webllm.json', folder);
  const said = await json(recordUrl, signal);
  const { model_lib: library, required_features: features = [], integrity = {} } = said;
  if (typeof library !== 'string' || !library.endsWith('.wasm'))
    throw corrupt(recordUrl, 'its model_lib names no .wasm file');
  if (!isTexts(features)) throw corrupt(recordUrl, 'its required_features are no list of names');
  if (!isIntegrity(integrity))
    throw corrupt(recordUrl, 'its integrity holds something that is no hash (sha256-…)');
  const libraryUrl = new URL(library, folder);
  if (libraryUrl.origin !== folder.origin) throw corrupt(recordUrl, 'its model_lib lies on another server');

  const configUrl = new URL('resolve/main/mlc-chat-config.json', folder);
  const config = await json(configUrl, signal);
  const window = config.context_window_size;
  await get(libraryUrl, signal, 'HEAD');
  return {
    model: folder.href,
    library: libraryUrl.href,
    features,
    integrity,
    contextTokens: typeof window === 'number' && window > 0 ? Math.min(window, mostContext) : mostContext,
  };
}

async function json(url: URL, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
  const response = await get(url, signal, 'GET');
  let value: unknown;
  try {
    value = await response.json();
  } catch (cause) {
    signal?.throwIfAborted();
    if (isAbort(cause)) throw cause;
    throw corrupt(url, 'it is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null) throw corrupt(url, 'it holds no JSON object');
  return value as Record<string, unknown>;
}

async function get(url: URL, signal: AbortSignal | undefined, method: 'GET' | 'HEAD'): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal, method, cache: 'no-cache' });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new SelfIndexError(
      'model-load-failed',
      `${url.href} could not be fetched: ${messageOf(cause)}. Check the connection and the server.`,
      { details: { url: url.href }, cause },
    );
  }
  const page = response.headers.get('content-type')?.startsWith('text/html');
  if (response.ok && !page) return response;
  const why = response.ok ? 'the server answered with a web page' : `status ${response.status}`;
  throw new SelfIndexError('model-not-found', `${url.href} is not there (${why}).`, {
    details: { url: url.href, status: response.status },
  });
}

function corrupt(url: URL, why: string, cause?: unknown): SelfIndexError {
  return new SelfIndexError('model-corrupt', `${url.href} is damaged: ${why}.`, {
    details: { url: url.href },
    cause,
  });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isIntegrity(value: unknown): value is WebLlmRecord['integrity'] {
  if (typeof value !== 'object' || value === null) return false;
  const { config, model_lib: library, tokenizer, ...others } = value as Record<string, unknown>;
  const files: unknown[] =
    typeof tokenizer === 'object' && tokenizer !== null ? Object.values(tokenizer) : [tokenizer];
  const isHash = (item: unknown) => item === undefined || (typeof item === 'string' && hash.test(item));
  return [config, library].every(isHash) && files.every(isHash) && Object.keys(others).length === 0;
}

import { isAbort, messageOf, SelfIndexError } from '../base/errors.ts';
import { misfitOf } from '../models/misfit.ts';
import { requiredFiles, settingsFiles } from '../models/source.ts';
import { keptFiles } from './browser/kept-files.ts';
import { findCatalogueModel } from './catalogue.ts';
import type { TransformersSpec } from './types.ts';

/** The files of one model, all in memory and all looked at: by path below the model's folder. */
export type ModelFiles = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

export interface LoadOptions {
  readonly signal?: AbortSignal;
  /** Bytes. `total` is what the servers have announced so far. */
  readonly onProgress?: (loaded: number, total: number) => void;
}

const defaultBase = '/models/';
const suffixes = { fp32: '', fp16: '_fp16', q8: '_quantized' } as const;

/** The path of a model's weights in the layout of transformers.js. */
export function weightsPath(dtype: NonNullable<TransformersSpec['dtype']>): string {
  return `onnx/model${suffixes[dtype]}.onnx`;
}

/**
 * Brings all files of a model: from this browser where it is kept (and no other `base` was named), else from the folder
 * `spec.base + spec.model`, and from nowhere else. Optional files of a model
 * of which the catalogue has a copy are asked for only if it lists them.
 *
 * @throws SelfIndexError `invalid-argument` for a name that is no folder; `model-not-found` for a missing file, also where a
 *   server answers with a web page instead; `model-corrupt` for a file that is cut off or not what its name says;
 *   `model-load-failed` where the server or the network fails. The signal's reason after an abort.
 */
export async function fetchModelFiles(
  spec: TransformersSpec,
  options: LoadOptions = {},
): Promise<ModelFiles> {
  const { model, dtype = 'q8' } = spec;
  const fetcher = await sourceOf(spec, options);
  const known = findCatalogueModel(model)?.copy.files.map((file) => file.path) ?? [];
  const settings = settingsFiles.filter((path) => known.length === 0 || known.includes(path));
  const files = await getAll(fetcher, requiredFiles, [...requiredFiles, ...settings]);
  const weights = weightsPath(dtype);
  for (const path of [weights, ...externalData(files, weights)])
    files.set(path, (await fetcher.get(path, true)) as Uint8Array<ArrayBuffer>);
  return files;
}

/** As `fetchModelFiles`, for a model of another layout: all of `required`, and what is there of `optional`. */
export async function fetchFiles(
  spec: Pick<TransformersSpec, 'model' | 'base'>,
  { required: needed, optional: wanted }: Readonly<Record<'required' | 'optional', readonly string[]>>,
  options: LoadOptions = {},
): Promise<ModelFiles> {
  return getAll(await sourceOf(spec, options), needed, [...needed, ...wanted]);
}

async function getAll(fetcher: Source, needed: readonly string[], paths: readonly string[]) {
  const entries = await Promise.all(
    paths.map(async (path) => [path, await fetcher.get(path, needed.includes(path))] as const),
  );
  return new Map(
    entries.filter((entry): entry is [string, Uint8Array<ArrayBuffer>] => entry[1] !== undefined),
  );
}

type Source = Pick<Fetcher, 'get'>;

/** The browser's own copy of a model, or the folder that it is served from. */
async function sourceOf(
  { model, base = defaultBase }: Pick<TransformersSpec, 'model' | 'base'>,
  options: LoadOptions,
): Promise<Source> {
  if (!/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(model))
    throw new SelfIndexError(
      'invalid-argument',
      `"${model}" is not the name of a model: letters, digits, - _ . / only.`,
    );
  const folder = new URL(`${base.replace(/\/?$/, '/')}${model}/`, globalThis.location?.href);
  const kept = base === defaultBase ? await keptFiles(model) : undefined;
  return kept ?? new Fetcher(folder, model, options);
}

/** A file parsed as JSON, or undefined where the model has none. */
export function readJson(files: ModelFiles, path: string): Record<string, unknown> | undefined {
  const bytes = files.get(path);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
}

/** Weights beyond 2 GB lie in files of their own, which the model's configuration counts. */
function externalData(files: ModelFiles, weights: string): string[] {
  const custom = readJson(files, 'config.json')?.['transformers.js_config'] as
    { use_external_data_format?: unknown } | undefined;
  const format = custom?.use_external_data_format;
  const name = weights.slice(weights.lastIndexOf('/') + 1);
  const table =
    typeof format === 'object' && format !== null ? (format as Record<string, unknown>) : undefined;
  const count = Number(table ? (table[name] ?? table.model ?? 0) : (format ?? 0));
  return Array.from({ length: count }, (_, i) => `${weights}_data${i === 0 ? '' : `_${i}`}`);
}

class Fetcher {
  private loaded = 0;
  private total = 0;

  constructor(
    private readonly folder: URL,
    private readonly model: string,
    private readonly options: LoadOptions,
  ) {}

  async get(path: string, needed: boolean): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { signal } = this.options;
    const url = new URL(path, this.folder);
    try {
      const response = await fetch(url, { signal });
      if (!response.ok) {
        await response.body?.cancel();
        if (!needed && [401, 403, 404, 410].includes(response.status)) return undefined;
        throw this.refused(path, response.status);
      }
      if (response.headers.get('content-type')?.startsWith('text/html')) {
        await response.body?.cancel();
        if (!needed) return undefined;
        throw this.notFound(path, 'the server answered with a web page');
      }
      const bytes = await this.read(response);
      const misfit = misfitOf(path, bytes);
      if (misfit === 'page' && !needed) return undefined;
      if (misfit === 'page') throw this.notFound(path, 'the server answered with a web page');
      if (misfit) throw this.corrupt(path, misfit);
      return bytes;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof SelfIndexError || isAbort(error)) throw error;
      throw this.failed(path, error);
    }
  }

  private async read(response: Response): Promise<Uint8Array<ArrayBuffer>> {
    // A compressed answer announces its compressed size.
    const announced = response.headers.has('content-encoding')
      ? 0
      : Number(response.headers.get('content-length'));
    this.total += announced;
    let bytes = new Uint8Array(announced);
    let size = 0;
    for await (const chunk of response.body ?? []) {
      if (size + chunk.length > bytes.length) {
        const larger = new Uint8Array(Math.max(size + chunk.length, bytes.length * 2));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(chunk, size);
      size += chunk.length;
      this.loaded += chunk.length;
      this.options.onProgress?.(this.loaded, Math.max(this.total, this.loaded));
    }
    return size === bytes.length ? bytes : bytes.slice(0, size);
  }

  private refused(path: string, status: number): SelfIndexError {
    if (status === 404 || status === 410) return this.notFound(path, `the server answered ${status}`);
    return new SelfIndexError(
      'model-load-failed',
      `The server refused ${path} of model "${this.model}" (status ${status}). Try again later, or serve the model yourself.`,
      { details: { ...this.where(path), status } },
    );
  }

  private notFound(path: string, why: string): SelfIndexError {
    return new SelfIndexError(
      'model-not-found',
      `There is no model "${this.model}" at ${this.folder.href}: ${path} is missing (${why}). Fetch it with "npm run models", or give the address where it is.`,
      { details: this.where(path) },
    );
  }

  private corrupt(path: string, why: string): SelfIndexError {
    return new SelfIndexError(
      'model-corrupt',
      `${path} of model "${this.model}" is damaged: ${why}. Fetch the model again.`,
      { details: this.where(path) },
    );
  }

  private failed(path: string, cause: unknown): SelfIndexError {
    return new SelfIndexError(
      'model-load-failed',
      `${path} of model "${this.model}" could not be fetched: ${messageOf(cause)}. Check the connection and the server.`,
      { details: this.where(path), cause },
    );
  }

  private where(path: string) {
    return { model: this.model, file: path, url: new URL(path, this.folder).href };
  }
}

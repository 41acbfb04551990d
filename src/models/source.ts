import { SelfIndexError } from '../base/errors.ts';
import type { Plan, PlannedFile } from './plan.ts';
import type { ModelLabel, ModelSource } from './types.ts';

export const publicHub = 'https://huggingface.co';

/** A file with what is known of it. */
export type ListedFile = Omit<PlannedFile, 'url'>;
type Fetched = Exclude<ModelSource, { kind: 'files' }>;

/** What to get: a model and the place that a person named for it. */
export interface ModelRequest extends ModelLabel {
  readonly source: Fetched;
  /** What is known of the files in that place, from the catalogue (`by: 'known'`, the default) or from the server's own list. */
  readonly known?: readonly ListedFile[];
  /** Their paths, where only those are known. Default: what a model of transformers.js, GGUF or MLC needs. */
  readonly paths?: readonly string[];
}

/**
 * Reads what a person typed as a place: `owner/name` (on the public hub), the address of a hub's repository
 * (`https://huggingface.co/owner/name`, `https://any.hub/owner/name/tree/revision`), or that of a folder.
 *
 * @throws SelfIndexError `invalid-argument`
 */
export function parseAddress(text: string): Fetched {
  const typed = text.trim();
  const named = /^([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?$/.exec(typed);
  if (named) return { kind: 'hub', hub: publicHub, repository: named[1], revision: named[2] ?? 'main' };
  if (!/^https?:\/\//.test(typed) || !URL.canParse(typed))
    throw new SelfIndexError(
      'invalid-argument',
      `“${typed}” is no address. Type the name on the hub (owner/name), or an address that begins with https://.`,
    );
  const url = new URL(typed);
  const [, owner, name, revision] =
    /^\/([\w.-]+)\/([\w.-]+)(?:\/tree\/([\w.-]+))?\/?$/.exec(url.pathname) ?? [];
  if (owner !== undefined && (url.origin === publicHub || revision !== undefined))
    return { kind: 'hub', hub: url.origin, repository: `${owner}/${name}`, revision: revision ?? 'main' };
  url.search = url.hash = '';
  return { kind: 'address', base: url.href.replace(/\/?$/, '/') };
}

/** The name that a model goes by if nobody gives it another: the last part of its address that says something. */
export function nameOf(source: Fetched): string {
  const path = source.kind === 'hub' ? source.repository : new URL(source.base, 'http://localhost').pathname;
  const parts = path.split('/').filter((part) => /^[\w-][\w.-]*$/.test(part));
  return parts.at(-1) ?? 'model';
}

/** The place in words, for people. */
export function placeInWords(source: ModelSource): string {
  switch (source.kind) {
    case 'address':
      return source.base;
    case 'hub':
      return `${source.hub}/${source.repository}${source.revision === 'main' ? '' : ` at ${source.revision}`}`;
    case 'files':
      return `your own files (${source.name})`;
  }
}

/** Fetches JSON; undefined where there is none (404, or no JSON). Throws where nobody answers. */
export type GetJson = (url: string) => Promise<unknown>;

/**
 * Finds out which files to fetch. A hub is asked for its list, with sizes and hashes; a folder for the `manifest.json` that `npm
 * run models` writes. What the catalogue knows goes before what a server says.
 *
 * @throws SelfIndexError `model-not-found` where the hub has no such repository, or one without a model that can run here
 */
export async function makePlan(request: ModelRequest, getJson: GetJson): Promise<Plan> {
  const { known, paths, source, ...label } = request;
  if (known)
    return {
      ...label,
      source,
      files: known.map((file) => ({ by: 'known', ...file, url: urlOf(source, file.path) })),
    };
  if (source.kind === 'hub') return planFromHub(label, source, paths, getJson);
  const listed = filesOfManifest(await getJson(`${source.base}manifest.json`));
  const files = listed ?? (paths ?? []).map((path) => ({ path }));
  const wanted = files.length > 0 ? files : usualFiles;
  return { ...label, source, files: wanted.map((file) => ({ ...file, url: urlOf(source, file.path) })) };
}

async function planFromHub(
  label: ModelLabel,
  source: Extract<ModelSource, { kind: 'hub' }>,
  paths: readonly string[] | undefined,
  getJson: GetJson,
): Promise<Plan> {
  const { hub, repository, revision } = source;
  const listed = readListing(
    await getJson(`${hub}/api/models/${repository}/revision/${revision}?blobs=true`),
  );
  if (!listed)
    throw new SelfIndexError(
      'model-not-found',
      `${hub} has no ${repository} (${revision}), or does not show it to everyone. Check the name.`,
    );
  const chosen = paths ?? chooseFiles(listed.files.map(({ path }) => path));
  const files = chosen.map((path) => {
    const file = listed.files.find((each) => each.path === path);
    if (!file)
      throw new SelfIndexError('model-not-found', `${repository} on ${hub} has no file ${path} (any more).`);
    return file;
  });
  if (files.length === 0)
    throw new SelfIndexError(
      'model-not-found',
      `${repository} on ${hub} holds no model that can run here: no ONNX weights (onnx/model….onnx) beside a tokenizer.json, no GGUF file, no MLC weights.`,
    );
  // The commit, so that files of two states never meet.
  const at = { ...source, revision: listed.commit ?? revision };
  return {
    ...label,
    source,
    ...(listed.commit && { revision: listed.commit }),
    files: files.map((file) => ({ ...file, by: 'declared', url: urlOf(at, file.path) })),
  };
}

function urlOf(source: Fetched, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return source.kind === 'hub'
    ? `${source.hub}/${source.repository}/resolve/${source.revision}/${encoded}`
    : `${source.base}${encoded}`;
}

/** The hub's answer about a repository with `blobs=true`; undefined where it is something else. */
function readListing(value: unknown): { readonly commit?: string; readonly files: ListedFile[] } | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { sha, siblings } = value as { sha?: unknown; siblings?: unknown };
  if (!Array.isArray(siblings)) return undefined;
  const files = siblings.flatMap((each: unknown): ListedFile[] => {
    const { rfilename: path, size, blobId, lfs } = (each ?? {}) as Record<string, unknown>;
    if (!isPath(path)) return [];
    const { sha256 } = (lfs ?? {}) as { sha256?: unknown };
    return [
      {
        path,
        ...(typeof size === 'number' && { size }),
        ...(isHex(sha256, 64) ? { sha256 } : isHex(blobId, 40) && { gitSha1: blobId }),
      },
    ];
  });
  return { files, ...(isHex(sha, 40) && { commit: sha }) };
}

/** As `npm run models` leaves it beside a model. */
function filesOfManifest(value: unknown): ListedFile[] | undefined {
  const { files } = (value ?? {}) as { files?: unknown };
  if (!Array.isArray(files)) return undefined;
  return files.flatMap((each: unknown): ListedFile[] => {
    const { path, size, sha256 } = (each ?? {}) as Record<string, unknown>;
    return isPath(path) && typeof size === 'number' && isHex(sha256, 64)
      ? [{ path, size, sha256, by: 'declared' }]
      : [];
  });
}

/** A path below a folder, and nowhere else. */
function isPath(value: unknown): value is string {
  return typeof value === 'string' && !value.split('/').some((part) => ['', '.', '..'].includes(part));
}

function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits && /^[0-9a-f]+$/.test(value);
}

/** What every model in the layout of transformers.js has. */
export const requiredFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const;
/** Where they exist they say how a model wants to be used. */
export const settingsFiles = [
  'generation_config.json',
  'modules.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
] as const;
const optional = [...settingsFiles, 'special_tokens_map.json'];
/** Best first: int8 is a quarter of the bytes. */
const weights = ['onnx/model_quantized.onnx', 'onnx/model.onnx', 'onnx/model_fp16.onnx'];

/** What a folder that says nothing about itself is asked for. */
const usualFiles: readonly ListedFile[] = [
  ...requiredFiles.map((path) => ({ path })),
  ...optional.map((path) => ({ path, optional: true }) as const),
  { path: weights[0] },
];

/** Of all files of a repository those that run here; none where no model does. */
export function chooseFiles(paths: readonly string[]): string[] {
  const has = (path: string) => paths.includes(path);
  const chosen = weights.find(has);
  if (chosen !== undefined && requiredFiles.every(has)) {
    const beside = paths.filter((path) => path.startsWith(`${chosen}_data`));
    return [...requiredFiles, ...optional.filter(has), chosen, ...beside];
  }
  const gguf = paths.filter((path) => path.endsWith('.gguf'));
  if (gguf.length > 0) return [gguf.find((path) => /q4_k_m/i.test(path)) ?? gguf[0]];
  if (has('mlc-chat-config.json'))
    return paths.filter((path) => /(\.json|\.bin|\.wasm|\.model|merges\.txt)$/.test(path));
  // A table of token vectors in the format of model2vec.
  const table = ['model.safetensors', 'tokenizer.json', 'config.json'];
  return table.every(has) ? [...table, ...optional.filter(has)] : [];
}

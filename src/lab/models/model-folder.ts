import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SelfIndexError } from '../../base/errors.ts';
import type { CatalogueModel } from '../../embed/catalogue.ts';
import { misfitOf } from '../../models/misfit.ts';
import { downloadFile } from './download.ts';
import type { DownloadOptions, Downloaded } from './download.ts';

/** What stands beside a model's files: where each came from, and against what it was held. */
export interface ModelManifest {
  readonly id: string;
  readonly source: string;
  readonly files: readonly (Downloaded & { readonly path: string })[];
}

const manifestName = 'manifest.json';

export interface FetchOptions extends DownloadOptions {
  /** Default https://huggingface.co. */
  readonly hub?: string;
  readonly onFile?: (path: string) => void;
}

/**
 * Brings a model of the catalogue from its hub into `folder/<id>`, which changes only when all its files are there and
 * checked. What a broken run has fetched is taken up again by the next.
 *
 * @throws SelfIndexError as `downloadFile`
 */
export async function fetchModel(
  model: CatalogueModel,
  folder: string,
  options: FetchOptions = {},
): Promise<ModelManifest> {
  const { hub = 'https://huggingface.co', onFile } = options;
  const { repository, revision, verified, files } = model.hub;
  const source = `${hub.replace(/\/$/, '')}/${repository}/resolve/${revision}`;
  const staging = stagingOf(folder, model.id);
  const fetched: (Downloaded & { path: string })[] = [];
  for (const path of files) {
    onFile?.(path);
    const known = verified ? model.copy.files.find((file) => file.path === path) : undefined;
    fetched.push({ path, ...(await downloadFile(`${source}/${path}`, join(staging, path), known, options)) });
  }
  return install(staging, folder, { id: model.id, source, files: fetched });
}

/**
 * Takes a model from a local folder (`from/<id>`, or `from` itself) into `folder/<id>`, whole or not at all. Every file must have
 * the size and hash of the catalogue's copy; with `unverified` another copy will do, if it looks like a model.
 *
 * @throws SelfIndexError `model-not-found` where a file is missing, `model-corrupt` where its bytes are others
 */
export async function copyModel(
  model: CatalogueModel,
  from: string,
  folder: string,
  { unverified = false }: { readonly unverified?: boolean } = {},
): Promise<ModelManifest> {
  const source = (await isFile(join(from, model.id, 'config.json'))) ? join(from, model.id) : from;
  const staging = stagingOf(folder, model.id);
  await rm(staging, { recursive: true, force: true });
  const copied: (Downloaded & { path: string })[] = [];
  try {
    // Of a model that was never run here no bytes are known: whatever the hub would give will do.
    const unknown = model.hub.files.map((path) => ({ path, size: NaN, sha256: 'of no known copy' }));
    for (const file of model.copy.files.length > 0 ? model.copy.files : unknown) {
      const path = join(source, file.path);
      const target = join(staging, file.path);
      if (!(await isFile(path)))
        throw new SelfIndexError(
          'model-not-found',
          `${path} is missing: that folder holds no "${model.id}".`,
        );
      await mkdir(dirname(target), { recursive: true });
      await copyFile(path, target);
      const { size } = await stat(target);
      const sha256 = await hashOf(target);
      const same = size === file.size && sha256 === file.sha256;
      const misfit = same ? undefined : await firstSight(target);
      if (!same && (misfit !== undefined || !unverified))
        throw new SelfIndexError(
          'model-corrupt',
          misfit === undefined
            ? `${path} is not the file of the catalogue (SHA-256 ${sha256}, expected ${file.sha256}). To use another copy all the same, say --unverified.`
            : `${path} is no file of a model: ${misfit === 'page' ? 'it is a web page' : misfit}.`,
        );
      copied.push({ path: file.path, size, sha256, verified: same ? 'known' : 'no' });
    }
    return await install(staging, folder, { id: model.id, source: 'a local folder', files: copied });
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw error;
  }
}

/** The manifest of a model that is there with every byte in place; undefined where it must be fetched. */
export async function installedModel(id: string, folder: string): Promise<ModelManifest | undefined> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, id, manifestName), 'utf8')) as ModelManifest;
    for (const { path, size, sha256 } of manifest.files) {
      const file = join(folder, id, path);
      if ((await stat(file)).size !== size || (await hashOf(file)) !== sha256) return undefined;
    }
    return manifest;
  } catch {
    return undefined;
  }
}

/** Begins with a dot, so that it is never served. */
function stagingOf(folder: string, id: string): string {
  return join(folder, `.${id}.incoming`);
}

async function install(staging: string, folder: string, manifest: ModelManifest): Promise<ModelManifest> {
  await writeFile(join(staging, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
  const target = join(folder, manifest.id);
  const old = join(folder, `.${manifest.id}.old`);
  await rm(old, { recursive: true, force: true });
  if (await exists(target)) await rename(target, old);
  await rename(staging, target);
  await rm(old, { recursive: true, force: true });
  return manifest;
}

async function firstSight(path: string): Promise<string | undefined> {
  return misfitOf(path, await readFile(path));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

const isFile = (path: string) =>
  stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

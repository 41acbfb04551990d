import { SelfIndexError } from '../../base/errors.ts';
import { contentHash } from '../../base/hash.ts';
import { downloadFile, type Downloaded, type DownloadOptions } from '../download.ts';
import { MemoryPart } from '../memory-part.ts';
import { totalOf, type Plan, type PlannedFile } from '../plan.ts';
import { kindOf, sizeOf, type KeptFile, type KeptManifest } from '../types.ts';
import { encoded, foldersIn, jsonIn, openRoot, removeFrom, subfolder } from './files.ts';
import type { StoredManifest } from './kept.ts';
import { OpfsPart, writeJson } from './opfs-part.ts';
import type { SessionModel } from './session.ts';

/** How far it is. */
export interface InstallProgress {
  readonly file: string;
  /** Bytes of all files that are here. */
  readonly done: number;
  /** Bytes of all files, where every size is known by now. */
  readonly total?: number;
  /** Set while it waits for another try. */
  readonly waiting?: { readonly milliseconds: number; readonly why: string };
}

export interface InstallOptions extends Pick<DownloadOptions, 'signal' | 'stallAfter' | 'wait'> {
  readonly onProgress?: (progress: InstallProgress) => void;
}

/** Fetches one file of a plan into a part. */
type Fetch = typeof downloadFile;

/**
 * Carries out a plan in the origin private file system. It is noted first (`incoming.json`), so that after a kill the same plan goes on;
 * files that are whole already are not fetched again. The manifest is written last: until then the model is as it was.
 *
 * @throws SelfIndexError as `downloadFile`
 */
export async function install(plan: Plan, options: InstallOptions = {}): Promise<KeptManifest> {
  const root = await openRoot(true);
  const place = await root.getDirectoryHandle(encoded(plan.id), { create: true });
  await writeJson(place, 'incoming.json', plan);
  const folder = folderOf(plan);
  const files = await place.getDirectoryHandle(folder, { create: true });
  const fetched = await fetchAll(plan, options, async (file, fetch) => {
    const part = await OpfsPart.in(files, file.path);
    const there = await part.done();
    if (there && fits(there, file)) return there;
    if (there) await part.discard();
    const done = await fetch(part);
    await part.setDone(done);
    return done;
  });
  return finish(place, plan, folder, fetched);
}

/** The same in memory, where there is no room: nothing is written. */
export async function installInMemory(plan: Plan, options: InstallOptions = {}): Promise<SessionModel> {
  const blobs = new Map<string, Blob>();
  const files = await fetchAll(plan, options, async (file, fetch) => {
    const part = new MemoryPart();
    const done = await fetch(part);
    blobs.set(file.path, part.blob());
    return done;
  });
  const config = await blobs.get('config.json')?.text();
  return { manifest: manifestOf(plan, files, config && JSON.parse(config)), files: blobs };
}

/** Writes the manifest, then lets go of what it replaces. */
export async function finish(
  place: FileSystemDirectoryHandle,
  plan: Plan,
  folder: string,
  files: readonly KeptFile[],
): Promise<KeptManifest> {
  const config = await jsonIn(await subfolder(await subfolder(place, folder), 'files'), 'config.json');
  const manifest = manifestOf(plan, files, config);
  await writeJson(place, 'manifest.json', { ...manifest, folder } satisfies StoredManifest);
  await removeFrom(place, 'incoming.json');
  for (const other of await foldersIn(place)) if (other !== folder) await removeFrom(place, other);
  return manifest;
}

/** The same files from the same place always meet in one folder, whenever they come. */
export function folderOf({ folder, source, files }: Plan): string {
  return folder ?? contentHash({ source, files: files.map(({ url }) => url) }).slice(0, 16);
}

/** Bytes that are here of a plan under way. */
export async function bytesHere(place: FileSystemDirectoryHandle, plan: Plan): Promise<number> {
  const files = await place.getDirectoryHandle(folderOf(plan), { create: true });
  let sum = 0;
  for (const { path } of plan.files) sum += await (await OpfsPart.in(files, path)).size();
  return sum;
}

async function fetchAll(
  plan: Plan,
  options: InstallOptions,
  into: (
    file: PlannedFile,
    fetch: (part: Parameters<Fetch>[2]) => Promise<Downloaded>,
  ) => Promise<Downloaded>,
): Promise<KeptFile[]> {
  const kept: KeptFile[] = [];
  const sizes = new Map(plan.files.map(({ path, size }) => [path, size]));
  for (const file of plan.files) {
    const before = sizeOf({ files: kept });
    const tell = (done: number, size: number | undefined, waiting?: InstallProgress['waiting']) => {
      if (size !== undefined) sizes.set(file.path, size);
      const total = totalOf(plan.files.map((each) => ({ ...each, size: sizes.get(each.path) })));
      options.onProgress?.({
        file: file.path,
        done: before + done,
        ...(total !== undefined && { total }),
        ...(waiting && { waiting }),
      });
    };
    try {
      const done = await into(file, async (part) => {
        let here = await part.size();
        tell(here, file.size);
        const downloaded = await downloadFile(file.url, file.path, part, file, {
          signal: options.signal,
          stallAfter: options.stallAfter,
          wait: options.wait,
          // Another origin would have to allow the header that asks conditionally.
          conditional: new URL(file.url, globalThis.location.href).origin === globalThis.location.origin,
          onProgress: (bytes, total) => tell((here = bytes), file.size ?? total),
          onWait: (milliseconds, why) => tell(here, file.size, { milliseconds, why }),
        });
        const declared = downloaded.verified === 'known' && file.by !== 'known';
        return declared ? { ...downloaded, verified: 'declared' } : downloaded;
      });
      kept.push({ path: file.path, ...done });
      tell(done.size, done.size);
    } catch (error) {
      if (!(file.optional && error instanceof SelfIndexError && error.code === 'model-not-found'))
        throw error;
    }
  }
  return kept;
}

function fits(there: Downloaded, { size, sha256 }: PlannedFile): boolean {
  return (size === undefined || size === there.size) && (sha256 === undefined || sha256 === there.sha256);
}

function manifestOf(plan: Plan, files: readonly KeptFile[], config: unknown): KeptManifest {
  const { id, title, licence, source, revision } = plan;
  return {
    format: 1,
    id,
    kind:
      plan.kind ??
      kindOf(
        files.map(({ path }) => path),
        config,
      ),
    ...(title !== undefined && { title }),
    ...(licence !== undefined && { licence }),
    source,
    ...(revision !== undefined && { revision }),
    files,
    installedAt: Date.now(),
  };
}

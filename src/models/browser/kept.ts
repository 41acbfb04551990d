import type { KeptManifest } from '../types.ts';
import { encoded, fileIn, foldersIn, jsonIn, openRoot, subfolder } from './files.ts';
import { findSession, listSession } from './session.ts';

/** A model that is kept here: readable in the page and in every worker, without a network. */
export interface KeptModel {
  readonly manifest: KeptManifest;
  /** Kept for this session only: in the memory of a tab, because there was no room. */
  readonly session: boolean;
  /** A file's bytes where they are; undefined where the model has no such file. */
  blob(path: string): Promise<Blob | undefined>;
}

/** The manifest as it lies there, with the name of the folder that its files are in. */
export interface StoredManifest extends KeptManifest {
  readonly folder: string;
}

/** undefined where no such model is kept. */
export async function openKept(id: string): Promise<KeptModel | undefined> {
  const place = await subfolder(await openRoot(), encoded(id));
  const stored = await readManifest(place);
  if (stored) {
    const { folder, ...manifest } = stored;
    const files = await subfolder(await subfolder(place, folder), 'files');
    const blob = async (path: string) =>
      manifest.files.some((file) => file.path === path)
        ? ((await fileIn(files, encoded(path))) ?? new Blob())
        : undefined;
    return { manifest, session: false, blob };
  }
  const held = await findSession(id);
  return held && { manifest: held.manifest, session: true, blob: async (path) => held.files.get(path) };
}

/** All that is kept, in order of their names. */
export async function listKept(): Promise<{ readonly manifest: KeptManifest; readonly session: boolean }[]> {
  const root = await openRoot();
  const list: { manifest: KeptManifest; session: boolean }[] = [];
  for (const name of await foldersIn(root)) {
    const stored = await readManifest(await subfolder(root, name));
    if (!stored) continue;
    const { folder: _, ...manifest } = stored;
    list.push({ manifest, session: false });
  }
  for (const manifest of await listSession())
    if (!list.some((each) => each.manifest.id === manifest.id)) list.push({ manifest, session: true });
  return list.sort((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1));
}

export async function readManifest(
  place: FileSystemDirectoryHandle | undefined,
): Promise<StoredManifest | undefined> {
  const value = (await jsonIn(place, 'manifest.json')) as StoredManifest | null | undefined;
  return value?.format === 1 && Array.isArray(value.files) ? value : undefined;
}

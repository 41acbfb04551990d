import { inStorage } from '../part-file.ts';

/**
 * The origin private file system: files that a page may keep, larger than any cache entry and writable in place. Layout:
 * `self-index-models/<id>/manifest.json`, `…/incoming.json` (a plan under way), `…/<folder>/files/<path>`, `…/<folder>/notes/<path>`.
 */
const root = 'self-index-models';

/** A name as one part of a path: ids and paths of models have slashes. */
export const encoded = encodeURIComponent;

/** The folder of all models; undefined where the browser keeps no files (or not now). */
export async function openRoot(create: true): Promise<FileSystemDirectoryHandle>;
export async function openRoot(create?: boolean): Promise<FileSystemDirectoryHandle | undefined>;
export async function openRoot(create = false): Promise<FileSystemDirectoryHandle | undefined> {
  const folder = async () => {
    const storage = await navigator.storage.getDirectory();
    return storage.getDirectoryHandle(root, { create });
  };
  return create ? inStorage('A model', folder) : folder().catch(() => undefined);
}

export async function subfolder(
  folder: FileSystemDirectoryHandle | undefined,
  name: string,
): Promise<FileSystemDirectoryHandle | undefined> {
  return folder?.getDirectoryHandle(name).catch(() => undefined);
}

/** undefined where there is none. */
export async function fileIn(
  folder: FileSystemDirectoryHandle | undefined,
  name: string,
): Promise<File | undefined> {
  try {
    const handle = await folder?.getFileHandle(name);
    return await handle?.getFile();
  } catch {
    return undefined;
  }
}

/** undefined where there is none, or it was cut off. */
export async function jsonIn(folder: FileSystemDirectoryHandle | undefined, name: string): Promise<unknown> {
  try {
    return JSON.parse((await (await fileIn(folder, name))?.text()) ?? 'null') as unknown;
  } catch {
    return undefined;
  }
}

/** Names of the folders in a folder. */
export async function foldersIn(folder: FileSystemDirectoryHandle | undefined): Promise<string[]> {
  const names: string[] = [];
  if (!folder) return names;
  for await (const [name, handle] of folder.entries()) if (handle.kind === 'directory') names.push(name);
  return names.sort();
}

/** Nothing happens where there is none. */
export async function removeFrom(folder: FileSystemDirectoryHandle | undefined, name: string): Promise<void> {
  await folder?.removeEntry(name, { recursive: true }).catch((error: unknown) => {
    if ((error as Error).name !== 'NotFoundError') throw error;
  });
}

import { messageOf } from '../../base/errors.ts';

/** A file that someone gave, with its path as they would write it. */
export interface GivenFile {
  readonly path: string;
  readonly file: File;
}

export interface Gathered {
  readonly files: readonly GivenFile[];
  /** Folders that were not entered and files that could not be opened: sentences that name them. */
  readonly skipped: readonly string[];
}

const isLeftOut = (name: string) => name.startsWith('.') || name === 'node_modules';
const leftOut = (path: string) => `“${path}” was left out: it is hidden or made by a program.`;

/** Files of an `<input type="file">`, with or without `webkitdirectory`. */
export function fromInput(list: Iterable<File>): Gathered {
  const files: GivenFile[] = [];
  const folders = new Set<string>();
  for (const file of list) {
    const path = file.webkitRelativePath || file.name;
    const parts = path.split('/');
    const at = parts.findIndex(isLeftOut);
    if (at < 0) files.push({ path, file });
    else folders.add(parts.slice(0, at + 1).join('/'));
  }
  return { files, skipped: [...folders].map(leftOut) };
}

/**
 * Files and folders that were dropped. The entries must be taken before the event's handler returns, so call this
 * synchronously.
 */
export async function fromDrop(transfer: DataTransfer): Promise<Gathered> {
  const entries: FileSystemEntry[] = [];
  const loose: File[] = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    else if (file) loose.push(file);
  }
  const walked = await walk(entries);
  const rest = fromInput(loose);
  return { files: [...walked.files, ...rest.files], skipped: [...walked.skipped, ...rest.skipped] };
}

async function walk(roots: readonly FileSystemEntry[]): Promise<Gathered> {
  const files: GivenFile[] = [];
  const skipped: string[] = [];
  const open: FileSystemEntry[] = [...roots].reverse();
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const path = entry.fullPath.replace(/^\//, '');
    try {
      if (isLeftOut(entry.name)) skipped.push(leftOut(path));
      else if (isFile(entry)) files.push({ path, file: await fileOf(entry) });
      else if (isDirectory(entry)) open.push(...(await childrenOf(entry)).reverse());
    } catch (error) {
      skipped.push(`“${path}” could not be opened: ${messageOf(error)}`);
    }
  }
  return { files, skipped };
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function childrenOf(entry: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = entry.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // A reader hands out at most a hundred at a time and ends with none.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

interface PickerWindow {
  showDirectoryPicker?: (options: { id: string; mode: 'read' }) => Promise<FileSystemDirectoryHandle>;
}

/** True where the browser has the File System Access API. */
export function canPickFolder(): boolean {
  return typeof (window as PickerWindow).showDirectoryPicker === 'function';
}

/** Asks for a folder and walks it; null where the person changed their mind. */
export async function pickFolder(signal?: AbortSignal): Promise<Gathered | null> {
  let root: FileSystemDirectoryHandle;
  try {
    const picked = await (window as PickerWindow).showDirectoryPicker?.({ id: 'notes', mode: 'read' });
    if (!picked) return null;
    root = picked;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
  const files: GivenFile[] = [];
  const skipped: string[] = [];
  const open: { handle: FileSystemDirectoryHandle; path: string }[] = [{ handle: root, path: root.name }];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    for await (const entry of folder.handle.values()) {
      signal?.throwIfAborted();
      const path = `${folder.path}/${entry.name}`;
      if (isLeftOut(entry.name)) skipped.push(leftOut(path));
      else if (entry.kind === 'directory') open.push({ handle: entry, path });
      else files.push({ path, file: await entry.getFile() });
    }
  }
  return { files, skipped };
}

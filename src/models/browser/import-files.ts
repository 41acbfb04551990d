import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SelfIndexError } from '../../base/errors.ts';
import type { Downloaded } from '../download.ts';
import { knownOf, type GivenModelFile } from '../given.ts';
import { bytesToSee, misfitOf } from '../misfit.ts';
import { inStorage } from '../part-file.ts';
import type { Plan } from '../plan.ts';
import { sizeOf, type KeptFile, type KeptManifest, type KnownFile, type ModelLabel } from '../types.ts';
import { encoded, jsonIn, openRoot, removeFrom } from './files.ts';
import { finish, type InstallOptions } from './installer.ts';
import { readManifest } from './kept.ts';
import { OpfsPart } from './opfs-part.ts';

export interface ImportRequest extends ModelLabel {
  /** Where they come from, for people. */
  readonly from: string;
  readonly files: readonly GivenModelFile[];
  /** What the catalogue knows of this model. */
  readonly known?: readonly KnownFile[];
  /** Whether another copy than the catalogue's will do. */
  readonly unverified?: boolean;
}

/**
 * Keeps a model that a person gave as files: all of it or, where something is wrong, nothing.
 *
 * @throws SelfIndexError `model-not-found` where files of the catalogue's copy are missing, `model-corrupt` where bytes are others, or
 *   no model's; `storage-quota`, `storage-failed`
 */
export async function importFiles(
  request: ImportRequest,
  { signal, onProgress }: Pick<InstallOptions, 'signal' | 'onProgress'> = {},
): Promise<KeptManifest> {
  const { id, files, known, unverified = false } = request;
  const missing = known?.find(({ path }) => !files.some((file) => file.path === path));
  if (files.length === 0 || (missing && !unverified))
    throw new SelfIndexError(
      'model-not-found',
      `${missing?.path ?? 'A file of a model'} is missing: what was given holds no “${id}”. Give the whole folder.`,
      { details: { model: id } },
    );
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const root = await openRoot(true);
  const place = await root.getDirectoryHandle(encoded(id), { create: true });
  const before = await readManifest(place);
  // A folder of its own: a model of this name stays until the new one is whole.
  const folder = crypto.randomUUID();
  try {
    const into = await inStorage(id, () => place.getDirectoryHandle(folder, { create: true }));
    const kept: KeptFile[] = [];
    for (const given of files) {
      const done = sizeOf({ files: kept });
      const tell = (bytes: number) => onProgress?.({ file: given.path, done: done + bytes, total });
      const part = await OpfsPart.in(into, given.path);
      const copied = await copy(given, part, tell, signal);
      const verified = check(request, given.path, copied.downloaded, copied.head, unverified);
      await part.setDone({ ...copied.downloaded, verified });
      kept.push({ path: given.path, ...copied.downloaded, verified });
    }
    return await finish(place, planOf(request), folder, kept);
  } catch (error) {
    await removeFrom(place, folder);
    // A download under way stays for another day.
    const begun = before ?? (await jsonIn(place, 'incoming.json'));
    if (!begun) await removeFrom(root, encoded(id));
    throw error;
  }
}

function planOf({ id, kind, title, licence, from }: ImportRequest): Plan {
  return {
    id,
    source: { kind: 'files', name: from },
    files: [],
    ...(kind && { kind }),
    ...(title !== undefined && { title }),
    ...(licence !== undefined && { licence }),
  };
}

async function copy(
  { path, file }: GivenModelFile,
  part: OpfsPart,
  tell: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<{ readonly downloaded: Omit<Downloaded, 'verified'>; readonly head: Uint8Array }> {
  const hash = sha256.create();
  const writer = await inStorage(path, () => part.write(0));
  const reader = file.stream().getReader();
  let size = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { value, done } = await reader.read();
      if (done) break;
      await inStorage(path, () => writer.write(value));
      hash.update(value);
      size += value.length;
      tell(size);
    }
  } finally {
    await inStorage(path, () => writer.close());
  }
  const head = new Uint8Array(await file.slice(0, Math.min(bytesToSee(path), file.size)).arrayBuffer());
  return { downloaded: { size, sha256: bytesToHex(hash.digest()) }, head };
}

function check(
  { id, known }: ImportRequest,
  path: string,
  { size, sha256 }: Omit<Downloaded, 'verified'>,
  head: Uint8Array,
  unverified: boolean,
): Downloaded['verified'] {
  const wanted = knownOf(known, path);
  if (wanted && wanted.size === size && wanted.sha256 === sha256) return 'known';
  const misfit = misfitOf(path, head);
  if (misfit !== undefined)
    throw new SelfIndexError(
      'model-corrupt',
      `${path} is no file of a model: ${misfit === 'page' ? 'it is a web page' : misfit}.`,
      { details: { model: id, file: path } },
    );
  if (wanted && !unverified)
    throw new SelfIndexError(
      'model-corrupt',
      `${path} is not the file of the catalogue’s “${id}”: it has another hash. It may be another copy of the model, or a damaged one.`,
      { details: { model: id, file: path, reason: 'another-copy' } },
    );
  return 'no';
}

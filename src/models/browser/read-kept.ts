import { bytesToHex } from '@noble/hashes/utils.js';
import { SelfIndexError } from '../../base/errors.ts';
import { sha256Hex } from '../../base/hash.ts';
import type { KeptModel } from './kept.ts';

/**
 * All bytes of one file, held against the hash that they had when they came.
 * @throws SelfIndexError `model-corrupt`
 */
export async function readKept(model: KeptModel, path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const blob = await model.blob(path);
  const file = model.manifest.files.find((each) => each.path === path);
  if (!blob || !file) return undefined;
  const bytes = blob.size === file.size ? new Uint8Array(await blob.arrayBuffer()) : undefined;
  if (!bytes || (await digest(bytes)) !== file.sha256)
    throw new SelfIndexError(
      'model-corrupt',
      `${path} of the kept model "${model.manifest.id}" is damaged. Repair the model under “Models”, or delete it there.`,
      { details: { model: model.manifest.id, file: path } },
    );
  return bytes;
}

/** The platform's digest where there is one (secure contexts), else ours. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  return subtle ? bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes))) : sha256Hex(bytes);
}

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { KeptModel } from './kept.ts';

/** Reads a kept model again. @returns the paths of the files that are not what they were */
export async function brokenFiles(
  model: KeptModel,
  options: { readonly signal?: AbortSignal; readonly onProgress?: (done: number) => void } = {},
): Promise<string[]> {
  const broken: string[] = [];
  let done = 0;
  for (const file of model.manifest.files) {
    const blob = await model.blob(file.path);
    if (!blob || blob.size !== file.size) {
      broken.push(file.path);
      continue;
    }
    const hash = sha256.create();
    const reader = blob.stream().getReader();
    for (;;) {
      options.signal?.throwIfAborted();
      const { value, done: over } = await reader.read();
      if (over) break;
      hash.update(value);
      done += value.length;
      options.onProgress?.(done);
    }
    if (bytesToHex(hash.digest()) !== file.sha256) broken.push(file.path);
  }
  return broken;
}

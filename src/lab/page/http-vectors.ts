import { SelfIndexError } from '../../base/errors.ts';
import type { VectorLookup } from '../../embed/cached-embedder.ts';
import { packVectors, parsePackedVectors } from '../packed-vectors.ts';
import { labPaths } from '../types.ts';

/** The runner's vectors of earlier runs, over HTTP (cli/lab-server.ts answers): embedding a collection again costs nothing. */
export class HttpVectors implements VectorLookup {
  async get(space: string, hashes: readonly string[]): Promise<(Float32Array | undefined)[]> {
    const bytes = await this.post('get', space, hashes.join('\n'));
    const found = new Map(parsePackedVectors(bytes).map(({ hash, vector }) => [hash, vector]));
    return hashes.map((hash) => found.get(hash));
  }

  async put(
    space: string,
    entries: readonly { readonly hash: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    if (entries.length > 0) await this.post('put', space, packVectors(entries));
  }

  private async post(what: string, space: string, body: BodyInit): Promise<Uint8Array> {
    const response = await fetch(`${labPaths.vectors}/${what}?space=${encodeURIComponent(space)}`, {
      method: 'POST',
      body,
    });
    if (!response.ok)
      throw new SelfIndexError(
        'storage-failed',
        `The lab's cache of vectors failed (status ${response.status}).`,
      );
    return new Uint8Array(await response.arrayBuffer());
  }
}

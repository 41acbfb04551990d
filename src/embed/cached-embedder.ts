import { contentHash, sha256Hex } from '../base/hash.ts';
import type { EmbedOptions, Embedder, Fingerprint } from './types.ts';

/** Where vectors are kept, by space and by hash of the text (the store implements it). */
export interface VectorLookup {
  get(space: string, hashes: readonly string[]): Promise<(Float32Array | undefined)[]>;
  put(
    space: string,
    entries: readonly { readonly hash: string; readonly vector: Float32Array }[],
  ): Promise<void>;
}

/** The name of a vector space in a store: vectors of two fingerprints never meet. */
export function spaceOf(fingerprint: Fingerprint): string {
  return contentHash(fingerprint);
}

/** Texts embedded between two writes: what a killed tab loses at most. */
const sliceSize = 64;

/**
 * An embedder that embeds no text twice. Passages are kept in the store; queries in memory alone (the last `queries` of
 * them, default 4096), because every keystroke of a search box is one. Where the model treats both alike, either
 * answers for the other. Vectors are written before they are returned, slice by slice.
 *
 * @throws what the embedder and the store throw
 */
export function cachedEmbedder(
  embedder: Embedder,
  store: VectorLookup,
  { queries = 4096 }: { readonly queries?: number } = {},
): Embedder {
  const { fingerprint, dimensions } = embedder;
  const space = spaceOf(fingerprint);
  const recent = new RecentVectors(queries);
  const prefixes = { query: fingerprint.queryPrefix, passage: fingerprint.passagePrefix };

  async function embed(
    texts: readonly string[],
    role: 'query' | 'passage',
    { signal, onProgress }: EmbedOptions = {},
  ): Promise<Float32Array> {
    signal?.throwIfAborted();
    const hashes = texts.map((text) => sha256Hex(prefixes[role] + text));
    const known = new Map<string, Float32Array>();
    const unknown = new Map<string, string>();
    const note = (hash: string, vector: Float32Array | undefined) => {
      if (vector?.length === dimensions) known.set(hash, vector);
    };
    // A passage must end in the store, so memory alone does not answer for one.
    if (role === 'query') for (const hash of hashes) note(hash, recent.get(hash));
    const sought = [...new Set(hashes)].filter((hash) => !known.has(hash));
    (await store.get(space, sought)).forEach((vector, i) => note(sought[i], vector));
    const unsaved: { hash: string; vector: Float32Array }[] = [];
    hashes.forEach((hash, i) => {
      if (known.has(hash) || unknown.has(hash)) return;
      const vector = recent.get(hash);
      if (vector) {
        note(hash, vector);
        unsaved.push({ hash, vector });
      } else unknown.set(hash, texts[i]);
    });
    if (role === 'passage' && unsaved.length > 0) await store.put(space, unsaved);

    const missing = [...unknown];
    const found = texts.length - missing.length;
    onProgress?.(found, texts.length);
    for (let start = 0; start < missing.length; start += sliceSize) {
      const slice = missing.slice(start, start + sliceSize);
      const vectors = await embedder.embed(
        slice.map(([, text]) => text),
        role,
        { signal, onProgress: (done) => onProgress?.(found + start + done, texts.length) },
      );
      const entries = slice.map(([hash], i) => ({
        hash,
        vector: vectors.slice(i * dimensions, (i + 1) * dimensions),
      }));
      if (role === 'passage') await store.put(space, entries);
      else entries.forEach(({ hash, vector }) => recent.set(hash, vector));
      entries.forEach(({ hash, vector }) => known.set(hash, vector));
    }

    const result = new Float32Array(texts.length * dimensions);
    hashes.forEach((hash, i) => result.set(known.get(hash) as Float32Array, i * dimensions));
    return result;
  }

  return {
    fingerprint,
    dimensions,
    maxTokens: embedder.maxTokens,
    get device() {
      return embedder.device;
    },
    onDevice: (listener) => embedder.onDevice?.(listener) ?? (() => {}),
    embed,
    dispose: () => embedder.dispose(),
  };
}

/** The vectors used last, at most `limit`. */
class RecentVectors {
  private readonly vectors = new Map<string, Float32Array>();

  constructor(private readonly limit: number) {}

  get(hash: string): Float32Array | undefined {
    const vector = this.vectors.get(hash);
    if (vector) this.set(hash, vector);
    return vector;
  }

  set(hash: string, vector: Float32Array): void {
    this.vectors.delete(hash);
    this.vectors.set(hash, vector);
    if (this.vectors.size > this.limit) this.vectors.delete(this.vectors.keys().next().value as string);
  }
}

import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import { loadOnDevice } from '../../embed/devices/load-on-device.ts';
import type { Embedder } from '../../embed/types.ts';
import { HttpVectors } from './http-vectors.ts';

/** The product's embedder, whose vectors outlive the browser: the runner keeps them on disk. */
export async function loadLabEmbedder(
  ...[spec, options]: Parameters<typeof loadOnDevice>
): Promise<Embedder> {
  const loaded = await loadOnDevice(spec, options);
  const cached = cachedEmbedder(loaded, new HttpVectors());
  const { queryPrefix, passagePrefix } = loaded.fingerprint;
  if (queryPrefix !== passagePrefix) return cached;
  // The cache keeps passages alone; where both are embedded alike, queries are kept as such.
  return { ...cached, embed: (texts, _role, how) => cached.embed(texts, 'passage', how) };
}

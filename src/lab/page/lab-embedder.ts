import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import { loadTransformersEmbedder } from '../../embed/transformers-embedder.ts';
import type { Embedder } from '../../embed/types.ts';
import { HttpVectors } from './http-vectors.ts';

/** The product's embedder, whose vectors outlive the browser: the runner keeps them on disk. */
export async function loadLabEmbedder(
  ...[spec, options]: Parameters<typeof loadTransformersEmbedder>
): Promise<Embedder> {
  const loaded = await loadTransformersEmbedder(spec, options);
  const cached = cachedEmbedder(loaded, new HttpVectors());
  const { queryPrefix, passagePrefix } = loaded.fingerprint;
  if (queryPrefix !== passagePrefix) return cached;
  // The cache keeps passages alone; where both are embedded alike, queries are kept as such.
  return { ...cached, embed: (texts, _role, how) => cached.embed(texts, 'passage', how) };
}

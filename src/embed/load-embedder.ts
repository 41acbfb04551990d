import { loadEncoder, type EncoderParts } from './devices/load-encoder.ts';
import type { LoadEmbedder } from './embedder-service.ts';
import { loadStaticEmbedder } from './static/static-embedder.ts';

/** How the embedder worker loads what a spec names. Static embeddings are computed there; an encoder runs in workers of its own. */
export function embedderLoader(parts: EncoderParts): LoadEmbedder {
  return (spec, options) =>
    spec.kind === 'static' ? loadStaticEmbedder(spec, options) : loadEncoder(spec, parts, options);
}

import { SelfIndexError } from '../../base/errors.ts';
import type { LoadOptions } from '../model-files.ts';
import { loadStaticEmbedder } from '../static/static-embedder.ts';
import { loadTransformersEmbedder } from '../transformers-embedder.ts';
import type { Embedder, EmbedderSpec } from '../types.ts';

/** The embedder that a spec names, on the device that it names, in this worker. */
export async function loadOnDevice(spec: EmbedderSpec, options: LoadOptions): Promise<Embedder> {
  if (spec.kind === 'static') return loadStaticEmbedder(spec, options);
  const { device, ...rest } = spec;
  if (device === 'auto')
    throw new SelfIndexError('internal', 'A device is chosen in the embedder worker, not in its runtime.');
  return loadTransformersEmbedder({ ...rest, ...(device && { device }) }, options);
}

import { connectEngine } from '../../evolve/remote/connect-engine.ts';
import type { EngineSpec, SelfIndex } from '../../evolve/types.ts';

/** An index in the product's own workers, but for the embedder's: the lab's keeps vectors for later runs. */
export function openLabIndex(spec: EngineSpec): Promise<SelfIndex> {
  return connectEngine(spec, { embedder: labEmbedderWorker });
}

/** An embedder worker whose vectors the runner keeps. */
export function labEmbedderWorker(): Worker {
  return new Worker(new URL('../../../workers/lab-embedder.worker.ts', import.meta.url), { type: 'module' });
}

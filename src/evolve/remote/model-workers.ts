import { openPort } from '../../base/rpc.ts';
import type { ModelPorts } from './open-from-spec.ts';

/** How the workers are made; override one where a bundler cannot follow `new URL(…, import.meta.url)`. */
export interface WorkerFactory {
  engine(): Worker;
  embedder(): Worker;
  generator(): Worker;
}

export const ownWorkers: WorkerFactory = {
  engine: () => new Worker(new URL('../../../workers/engine.worker.ts', import.meta.url), { type: 'module' }),
  embedder: () =>
    new Worker(new URL('../../../workers/embedder.worker.ts', import.meta.url), { type: 'module' }),
  generator: () =>
    new Worker(new URL('../../../workers/generator.worker.ts', import.meta.url), { type: 'module' }),
};

export interface ModelWorkers {
  readonly ports: ModelPorts;
  /** Ends them, which is how their memory is freed. */
  terminate(): void;
}

/** Starts the workers that run models, those that are wanted; they load nothing yet. */
export function startModels(
  workers: Pick<WorkerFactory, 'embedder' | 'generator'>,
  wanted: { readonly embedder: boolean; readonly generator: boolean },
): ModelWorkers {
  const embedder = wanted.embedder ? workers.embedder() : undefined;
  const generator = wanted.generator ? workers.generator() : undefined;
  return {
    ports: {
      ...(embedder && { embedder: openPort(embedder) }),
      ...(generator && { generator: openPort(generator) }),
    },
    terminate() {
      embedder?.terminate();
      generator?.terminate();
    },
  };
}

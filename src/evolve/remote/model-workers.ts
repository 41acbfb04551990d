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

/** Starts the workers that run models, those that are wanted; they load nothing yet. A generator may live in the page instead. */
export function startModels(
  workers: Pick<WorkerFactory, 'embedder' | 'generator'>,
  wanted: { readonly embedder: boolean; readonly generator?: 'worker' | 'page' },
): ModelWorkers {
  const embedder = wanted.embedder ? workers.embedder() : undefined;
  const generator = wanted.generator === 'worker' ? workers.generator() : undefined;
  const page = wanted.generator === 'page' ? pagePort() : undefined;
  return {
    ports: {
      ...(embedder && { embedder: openPort(embedder) }),
      ...(generator && { generator: openPort(generator) }),
      ...(page && { generator: page }),
    },
    terminate() {
      embedder?.terminate();
      generator?.terminate();
    },
  };
}

/** What is asked before the service is there waits in the port; where it cannot be fetched, the port closes. */
function pagePort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  import('../../backbone/browser/serve-prompt-api.ts').then(
    ({ servePromptApi }) => servePromptApi(port1),
    () => port1.close(),
  );
  return port2;
}

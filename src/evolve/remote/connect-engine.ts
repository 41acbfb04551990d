import { connect, openPort } from '../../base/rpc.ts';
import { parseRolesSpec } from '../../roles/spec.ts';
import type { EngineSpec, SelfIndex } from '../types.ts';
import type { EngineService } from './engine-service.ts';
import type { ModelPorts } from './open-from-spec.ts';
import { RemoteIndex } from './remote-index.ts';

/** How the workers are made; override one where a bundler cannot follow `new URL(…, import.meta.url)`. */
export interface WorkerFactory {
  engine(): Worker;
  embedder(): Worker;
  generator(): Worker;
}

const ownWorkers: WorkerFactory = {
  engine: () => new Worker(new URL('../../../workers/engine.worker.ts', import.meta.url), { type: 'module' }),
  embedder: () =>
    new Worker(new URL('../../../workers/embedder.worker.ts', import.meta.url), { type: 'module' }),
  generator: () =>
    new Worker(new URL('../../../workers/generator.worker.ts', import.meta.url), { type: 'module' }),
};

/**
 * Opens an index in workers of its own: the engine always, the embedder and the generator where the spec asks for them.
 * Models are loaded by the first call that needs them. `close()` ends the workers and frees their memory.
 */
export async function connectEngine(
  spec: EngineSpec,
  overrides: Partial<WorkerFactory> = {},
): Promise<SelfIndex> {
  const workers = { ...ownWorkers, ...overrides };
  const roles = parseRolesSpec(spec.roles);
  const embedder = spec.embedder && workers.embedder();
  const generator = roles.kind === 'transformers' ? workers.generator() : undefined;
  const connection = connect<EngineService>(workers.engine());
  const release = () => {
    embedder?.terminate();
    generator?.terminate();
  };
  const ports: ModelPorts = {
    ...(embedder && { embedder: openPort(embedder) }),
    ...(generator && { generator: openPort(generator) }),
  };
  const news = new MessageChannel();
  try {
    await connection.remote.open(spec, ports.embedder, ports.generator, news.port2);
  } catch (error) {
    connection.terminate();
    release();
    throw error;
  }
  return new RemoteIndex(spec.name, connection, news.port1, release);
}

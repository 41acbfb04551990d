import { connect } from '../../base/rpc.ts';
import { generatorPlace, parseRolesSpec } from '../../roles/spec.ts';
import type { ConnectedIndex, EngineSpec } from '../types.ts';
import type { EngineService } from './engine-service.ts';
import { ownWorkers, startModels, type WorkerFactory } from './model-workers.ts';
import { RemoteIndex } from './remote-index.ts';

/**
 * Opens an index in workers of its own: the engine always, the embedder and the generator where the spec asks for them.
 * Models are loaded by the first call that needs them. `close()` ends the workers and frees their memory.
 */
export async function connectEngine(
  spec: EngineSpec,
  overrides: Partial<WorkerFactory> = {},
): Promise<ConnectedIndex> {
  const workers = { ...ownWorkers, ...overrides };
  const models = startModels(workers, {
    embedder: spec.embedder !== undefined,
    generator: generatorPlace(parseRolesSpec(spec.roles)),
  });
  const { embedder, generator } = models.ports;
  const connection = connect<EngineService>(workers.engine());
  const news = new MessageChannel();
  try {
    await connection.remote.open(spec, embedder, generator, news.port2);
  } catch (error) {
    connection.terminate();
    models.terminate();
    throw error;
  }
  return new RemoteIndex(spec.name, connection, news.port1, models, workers);
}

import { SelfIndexError } from '../base/errors.ts';
import { callRemote } from '../base/rpc-calls.ts';
import { connect } from '../base/rpc.ts';
import type { Connection } from '../base/rpc.ts';
import type { EmbedderService } from './embedder-service.ts';
import type { LoadOptions } from './model-files.ts';
import type { EmbedOptions, Embedder, Fingerprint, TransformersSpec } from './types.ts';

/**
 * An embedder that runs in the embedder worker (workers/embedder.worker.ts), given the worker or a port to it (`openPort`). Resolves
 * when the model is loaded. `dispose` lets go of it; a worker that was given is terminated then, also when loading fails.
 *
 * @throws SelfIndexError as `loadTransformersEmbedder`, and `worker-failed` where the worker ends
 */
export async function connectEmbedder(
  to: Worker | MessagePort,
  spec: TransformersSpec,
  options: LoadOptions = {},
): Promise<Embedder> {
  const connection = connect<EmbedderService>(to);
  try {
    const { handle, fingerprint, maxTokens } = await callRemote<
      Awaited<ReturnType<EmbedderService['load']>>,
      [number, number]
    >(options, (port) => connection.remote.load(spec, port));
    return new WorkerEmbedder(connection, handle, fingerprint, maxTokens);
  } catch (error) {
    connection.terminate();
    throw error;
  }
}

class WorkerEmbedder implements Embedder {
  readonly dimensions: number;
  private disposed = false;

  constructor(
    private readonly connection: Connection<EmbedderService>,
    private readonly handle: string,
    readonly fingerprint: Fingerprint,
    readonly maxTokens: number,
  ) {
    this.dimensions = fingerprint.dimensions;
  }

  async embed(
    texts: readonly string[],
    role: 'query' | 'passage',
    options: EmbedOptions = {},
  ): Promise<Float32Array> {
    if (this.disposed)
      throw new SelfIndexError('model-not-found', 'This embedder has been disposed of. Load it again.');
    return callRemote<Float32Array, [number, number]>(options, (port) =>
      this.connection.remote.embed(this.handle, texts, role, port),
    );
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    // A worker that is gone has nothing left to let go of.
    await this.connection.remote.dispose(this.handle).catch(() => {});
    this.connection.terminate();
  }
}

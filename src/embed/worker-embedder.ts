import { SelfIndexError } from '../base/errors.ts';
import { canonicalJson } from '../base/json.ts';
import { callRemote, iterateRemote } from '../base/rpc-calls.ts';
import { connect } from '../base/rpc.ts';
import type { Connection } from '../base/rpc.ts';
import type { EmbedderInfo, EmbedderService } from './embedder-service.ts';
import type { LoadOptions } from './model-files.ts';
import type { DeviceReport, EmbedOptions, Embedder, EmbedderSpec, Fingerprint } from './types.ts';

/** A hold on the embedder worker, with which several models can be loaded. */
export interface EmbedderHost {
  /** @throws SelfIndexError as the worker's loader does, and `worker-failed` where the worker ends */
  load(spec: EmbedderSpec, options?: LoadOptions): Promise<Embedder>;
  /** Lets go of the worker with all that was loaded; one that was given as a worker is terminated. */
  terminate(): void;
}

export function connectEmbedderHost(to: Worker | MessagePort): EmbedderHost {
  const connection = connect<EmbedderService>(to);
  return {
    load: (spec, options) =>
      loadFrom(connection, spec, options, (handle) => connection.remote.dispose(handle)),
    terminate: () => connection.terminate(),
  };
}

/**
 * An embedder that runs in the embedder worker (workers/embedder.worker.ts), given the worker or a port to it (`openPort`). Resolves
 * when the model is loaded. `dispose` lets go of it; a worker that was given is terminated then, also when loading fails.
 *
 * @throws SelfIndexError as `EmbedderHost.load`
 */
export async function connectEmbedder(
  to: Worker | MessagePort,
  spec: EmbedderSpec,
  options?: LoadOptions,
): Promise<Embedder> {
  const connection = connect<EmbedderService>(to);
  try {
    return await loadFrom(connection, spec, options, async (handle) => {
      // A worker of its own may be busy, or hang, with what nobody waits for any more.
      if (to instanceof MessagePort) await connection.remote.dispose(handle).catch(() => {});
      connection.terminate();
    });
  } catch (error) {
    connection.terminate();
    throw error;
  }
}

async function loadFrom(
  connection: Connection<EmbedderService>,
  spec: EmbedderSpec,
  options: LoadOptions | undefined,
  letGo: (handle: string) => Promise<void>,
): Promise<Embedder> {
  const info = await callRemote<EmbedderInfo, [number, number]>(options ?? {}, (port) =>
    connection.remote.load(spec, port),
  );
  return new WorkerEmbedder(connection, info, letGo);
}

class WorkerEmbedder implements Embedder {
  readonly fingerprint: Fingerprint;
  readonly dimensions: number;
  readonly maxTokens: number;
  private readonly handle: string;
  private readonly listeners = new Set<(report: DeviceReport) => void>();
  private readonly ended = new AbortController();
  private report: DeviceReport | undefined;

  constructor(
    private readonly connection: Connection<EmbedderService>,
    { handle, fingerprint, maxTokens, device }: EmbedderInfo,
    private readonly letGo: (handle: string) => Promise<void>,
  ) {
    this.handle = handle;
    this.fingerprint = fingerprint;
    this.dimensions = fingerprint.dimensions;
    this.maxTokens = maxTokens;
    this.report = device;
    if (device) this.follow().catch(() => {}); // Its end is the worker's, which every call tells.
  }

  get device(): DeviceReport | undefined {
    return this.report;
  }

  onDevice(listener: (report: DeviceReport) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async embed(
    texts: readonly string[],
    role: 'query' | 'passage',
    options: EmbedOptions = {},
  ): Promise<Float32Array> {
    if (this.ended.signal.aborted)
      throw new SelfIndexError('model-not-found', 'This embedder has been disposed of. Load it again.');
    return callRemote<Float32Array, [number, number]>(options, (port) =>
      this.connection.remote.embed(this.handle, texts, role, port),
    );
  }

  async dispose(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    // A worker that is gone has nothing left to let go of.
    await this.letGo(this.handle).catch(() => {});
  }

  private async follow(): Promise<void> {
    const changes = iterateRemote<DeviceReport>(
      (port) => this.connection.remote.devices(this.handle, port),
      this.ended.signal,
    );
    for await (const report of changes) {
      if (canonicalJson(report) === canonicalJson(this.report)) continue;
      this.report = report;
      for (const listener of [...this.listeners]) listener(report);
    }
  }
}

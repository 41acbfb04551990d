import { SelfIndexError } from '../base/errors.ts';
import { callRemote } from '../base/rpc-calls.ts';
import { connect } from '../base/rpc.ts';
import type { Connection } from '../base/rpc.ts';
import type { LoadOptions } from '../embed/model-files.ts';
import type { GeneratorService, ModelInfo } from './generator-service.ts';
import type { GeneratorSpec } from './generator-spec.ts';
import type { Choice, ChoiceRequest, Completion, CompletionRequest, LanguageModel } from './types.ts';

/**
 * A language model that runs in the generator worker (workers/generator.worker.ts), given the worker or a port to it
 * (`openPort`). Resolves when the model is loaded. `dispose` lets go of it; a worker that was given is terminated then,
 * also when loading fails.
 *
 * @throws SelfIndexError as the loader of the runtime, and `worker-failed` where the worker ends
 */
export async function connectModel(
  to: Worker | MessagePort,
  spec: GeneratorSpec,
  options: LoadOptions = {},
): Promise<LanguageModel> {
  const connection = connect<GeneratorService>(to);
  try {
    const info = await callRemote<ModelInfo, [number, number]>(options, (port) =>
      connection.remote.load(spec, port),
    );
    return new WorkerModel(connection, info);
  } catch (error) {
    connection.terminate();
    throw error;
  }
}

class WorkerModel implements LanguageModel {
  readonly id: string;
  readonly contextTokens: number;
  readonly batchSize: number;
  readonly batchSensitive: boolean;
  readonly promptStyle: 'full' | 'compact';
  readonly schemas?: 'enforced' | 'checked';
  readonly choose?: LanguageModel['choose'];
  private disposed = false;

  constructor(
    private readonly connection: Connection<GeneratorService>,
    private readonly info: ModelInfo,
  ) {
    this.id = info.id;
    this.contextTokens = info.contextTokens;
    this.batchSize = info.batchSize;
    this.batchSensitive = info.batchSensitive;
    this.promptStyle = info.promptStyle;
    this.schemas = info.schemas;
    if (info.canChoose) this.choose = (requests, signal) => this.chosen(requests, signal);
  }

  async complete<T>(requests: readonly CompletionRequest[], signal?: AbortSignal): Promise<Completion<T>[]> {
    this.check();
    return callRemote({ signal }, (port) =>
      this.connection.remote.complete(this.info.handle, requests, port),
    ) as Promise<Completion<T>[]>;
  }

  async dispose(): Promise<void> {
    if (this.disposed) return;
    this.disposed = true;
    // A worker that is gone has nothing left to let go of.
    await this.connection.remote.dispose(this.info.handle).catch(() => {});
    this.connection.terminate();
  }

  private async chosen(requests: readonly ChoiceRequest[], signal?: AbortSignal): Promise<Choice[]> {
    this.check();
    return callRemote({ signal }, (port) => this.connection.remote.choose(this.info.handle, requests, port));
  }

  private check(): void {
    if (this.disposed)
      throw new SelfIndexError('model-not-found', 'This model has been disposed of. Load it again.');
  }
}

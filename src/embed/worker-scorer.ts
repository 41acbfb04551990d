import { SelfIndexError } from '../base/errors.ts';
import { callRemote } from '../base/rpc-calls.ts';
import { connect } from '../base/rpc.ts';
import type { LoadOptions } from './model-files.ts';
import type { PairScorer } from './pair-scorer.ts';
import type { ScorerInfo, ScorerService } from './scorer-service.ts';
import type { TransformersSpec } from './types.ts';

/**
 * A pair scorer that runs in a worker of its own (workers/scorer.worker.ts). Resolves when the model is loaded. `dispose` ends
 * the worker, and so does a load that fails.
 *
 * @throws SelfIndexError as `loadPairScorer`, and `worker-failed` where the worker ends
 */
export async function connectPairScorer(
  worker: Worker,
  spec: TransformersSpec,
  options: LoadOptions = {},
): Promise<PairScorer> {
  const connection = connect<ScorerService>(worker);
  let disposed = false;
  try {
    const info = await callRemote<ScorerInfo, [number, number]>(options, (port) =>
      connection.remote.load(spec, port),
    );
    return {
      ...info,
      async score(pairs, signal) {
        if (disposed)
          throw new SelfIndexError('model-not-found', 'This scorer has been disposed of. Load it again.');
        return callRemote({ signal }, (port) => connection.remote.score(pairs, port));
      },
      async dispose() {
        disposed = true;
        connection.terminate();
      },
    };
  } catch (error) {
    connection.terminate();
    throw error;
  }
}

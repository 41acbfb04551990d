import { describeMachine } from '../browser/machine.ts';
import type { LoadOptions } from '../model-files.ts';
import type { Embedder, EncoderSpec } from '../types.ts';
import { connectEmbedder } from '../worker-embedder.ts';
import { chooseDevice } from './choose-device.ts';
import type { DeviceMemory } from './device-memory.ts';
import { RecoveringEmbedder } from './recovering-embedder.ts';

export interface EncoderParts {
  /** A worker that runs one model (workers/embedder-runtime.worker.ts). */
  readonly startRuntime: () => Worker;
  readonly memory: DeviceMemory;
}

/**
 * A sentence encoder on the best device, each try in a worker of its own: the runtime cannot change its threads or its device once it has
 * begun, and after a failure its worker is in no known state.
 *
 * @throws SelfIndexError as `chooseDevice` and `loadTransformersEmbedder`
 */
export async function loadEncoder(
  spec: EncoderSpec,
  { startRuntime, memory }: EncoderParts,
  { signal, onProgress }: LoadOptions = {},
): Promise<Embedder> {
  const parts = {
    machine: await describeMachine((spec.device ?? 'wasm') !== 'wasm'),
    memory,
    clock: () => performance.now(),
    open: ({ device, threads }: { device: 'wasm' | 'webgpu'; threads?: number }, stop?: AbortSignal) =>
      connectEmbedder(
        startRuntime(),
        { ...spec, device, ...(threads !== undefined && { threads }) },
        { signal: stop, onProgress },
      ),
  };
  return new RecoveringEmbedder(await chooseDevice(spec, parts, signal), parts);
}

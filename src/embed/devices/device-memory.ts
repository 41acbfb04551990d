import { contentHash } from '../../base/hash.ts';
import type { Machine } from '../browser/machine.ts';
import type { DeviceChoice, EncoderSpec, Fingerprint, RefusedDevice } from '../types.ts';
import { probeTexts } from './probe-texts.ts';
import type { Timed } from './race.ts';

/** What was found out about one model on one machine. */
export interface KnownDevices {
  readonly fingerprint: Fingerprint;
  /** The CPU's vectors of the probe's texts, row-major. */
  readonly reference: Float32Array;
  /** WebGPU, where it computes something else than the CPU: it is not tried again. */
  readonly refused: readonly RefusedDevice[];
  /** What won a race; absent where none was run. */
  readonly chosen?: DeviceChoice;
  /** Fastest first. */
  readonly speeds: readonly Timed[];
}

/** Where that is kept for later starts. What it cannot read or write is simply found out again: neither method rejects. */
export interface DeviceMemory {
  get(key: string): Promise<KnownDevices | undefined>;
  put(key: string, known: KnownDevices): Promise<void>;
}

/** Nothing is kept longer than this worker lives. */
export function shortMemory(): DeviceMemory {
  const known = new Map<string, KnownDevices>();
  return {
    get: async (key) => known.get(key),
    async put(key, value) {
      known.set(key, value);
    },
  };
}

/** One name for a model, how it is asked to compute, and a machine. Another file under the model's name shows in the fingerprint. */
export function memoryKey(spec: EncoderSpec, machine: Machine): string {
  const { model, base, dtype = 'q8', activations = 'fp32', threads } = spec;
  return contentHash({ model, base, dtype, activations, threads, machine, probeTexts });
}

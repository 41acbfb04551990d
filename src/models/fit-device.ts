import type { ModelKind } from './types.ts';

/** What is known of a device; what a browser does not tell is undefined. */
export interface DeviceFacts {
  /** GB as the browser says them, rounded, and never more than 8 in some: at least so much where it says 8. */
  readonly memory?: number;
  readonly webgpu: boolean;
  /** Whether the GPU computes in half precision. */
  readonly f16: boolean;
  /** Bytes that may still be stored. */
  readonly free?: number;
}

export interface ModelNeeds {
  readonly id: string;
  readonly kind: ModelKind;
  /** Of all its files. */
  readonly bytes: number;
  /** Bytes while it runs. Default: an estimate from its kind and files. */
  readonly memory?: number;
  readonly requires?: readonly ('webgpu' | 'shader-f16')[];
  /** Whether it is kept already, so that it needs no more room. */
  readonly kept?: boolean;
}

export interface Fit {
  readonly verdict: 'runs' | 'tight' | 'cannot';
  /** Sentences: why it cannot run, or what may go wrong. */
  readonly reasons: readonly string[];
}

/** Bytes in use for each byte of weights, and besides. Encoders in int8 are widened to f32; a writer keeps what it has read. */
const memoryOf: Readonly<Record<ModelKind, readonly [perByte: number, besides: number]>> = {
  embedder: [5, 0.1e9],
  generator: [2, 0.4e9],
  static: [1.5, 0.02e9],
  gguf: [1.2, 0.3e9],
  webllm: [1.2, 0.5e9],
};

export function memoryNeeded({ kind, bytes, memory }: Pick<ModelNeeds, 'kind' | 'bytes' | 'memory'>): number {
  const [perByte, besides] = memoryOf[kind];
  return memory ?? bytes * perByte + besides;
}

/** Whether a model can run on a device, and what stands in its way. */
export function fitOf(model: ModelNeeds, device: DeviceFacts): Fit {
  const cannot: string[] = [];
  const tight: string[] = [];
  const gpu = model.kind === 'webllm' || model.requires?.includes('webgpu') === true;
  if (gpu && !device.webgpu) cannot.push('It needs a GPU (WebGPU), which this browser does not offer.');
  else if (model.requires?.includes('shader-f16') && !device.f16)
    cannot.push('It needs a GPU that computes in half precision (shader-f16), which this one does not.');
  const memory = memoryNeeded(model);
  if (device.memory !== undefined) {
    const there = device.memory * 1e9;
    // Browsers that say 8 mean 8 or more.
    if (memory > there && device.memory < 8)
      cannot.push(`It needs ${gigabytes(memory)} of memory; this device has about ${device.memory} GB.`);
    else if (memory > there / 2)
      tight.push(
        `It needs ${gigabytes(memory)} of memory, much of what this device has. Close other tabs first.`,
      );
  }
  if (!model.kept && device.free !== undefined && model.bytes > device.free)
    tight.push(
      `There is room for ${gigabytes(device.free)} more, and it is ${gigabytes(model.bytes)}: it would be kept only until this tab is closed.`,
    );
  if (cannot.length > 0) return { verdict: 'cannot', reasons: cannot };
  return { verdict: tight.length > 0 ? 'tight' : 'runs', reasons: tight };
}

const verdicts = ['runs', 'tight', 'cannot'] as const;
const kinds: readonly ModelKind[] = ['embedder', 'static', 'generator', 'gguf', 'webllm'];

/** What can run first; then by kind, the lightest first. */
export function sortForDevice<T extends ModelNeeds>(
  models: readonly T[],
  device: DeviceFacts,
): { readonly model: T; readonly fit: Fit }[] {
  return models
    .map((model) => ({ model, fit: fitOf(model, device) }))
    .sort(
      (a, b) =>
        verdicts.indexOf(a.fit.verdict) - verdicts.indexOf(b.fit.verdict) ||
        kinds.indexOf(a.model.kind) - kinds.indexOf(b.model.kind) ||
        memoryNeeded(a.model) - memoryNeeded(b.model) ||
        (a.model.id < b.model.id ? -1 : 1),
    );
}

function gigabytes(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** What of this machine decides where a model runs best. Plain data: it names remembered choices. */
export interface Machine {
  readonly cores: number;
  /** Whether there may be threads. */
  readonly isolated: boolean;
  readonly webgpu: {
    readonly available: boolean;
    /** Computes in half precision. */
    readonly f16: boolean;
    /** What the browser tells of the adapter. */
    readonly adapter?: string;
  };
  /** A new release of the browser may compute otherwise. */
  readonly browser: string;
}

/** @param gpu false: the adapter is not asked for, as if there were none */
export async function describeMachine(gpu = true): Promise<Machine> {
  return {
    cores: navigator.hardwareConcurrency,
    isolated: self.crossOriginIsolated,
    webgpu: gpu ? await probeWebGpu() : { available: false, f16: false },
    browser: navigator.userAgent,
  };
}

/** Half of the cores, so that the page and the engine keep theirs, and no more than 4: beyond, small models gain nothing. */
export function sensibleThreads(cores = navigator.hardwareConcurrency): number {
  return Math.min(4, Math.max(1, Math.ceil(cores / 2)));
}

/** Whether there is a WebGPU adapter, and whether it computes in half precision. Never rejects. */
export async function probeWebGpu(): Promise<Machine['webgpu']> {
  const { gpu } = navigator as { gpu?: GPU };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return { available: false, f16: false };
  // Older browsers tell nothing of an adapter.
  const { info } = adapter as { info?: GPUAdapterInfo };
  return {
    available: true,
    f16: adapter.features.has('shader-f16'),
    adapter: [info?.vendor, info?.architecture, info?.device, info?.description].join('/'),
  };
}

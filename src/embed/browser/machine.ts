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

export async function describeMachine(): Promise<Machine> {
  return {
    cores: navigator.hardwareConcurrency,
    isolated: self.crossOriginIsolated,
    webgpu: await probeWebGpu(),
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
  const { vendor, architecture, device, description } = adapter.info;
  return {
    available: true,
    f16: adapter.features.has('shader-f16'),
    adapter: [vendor, architecture, device, description].join('/'),
  };
}

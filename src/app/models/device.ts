import type { DeviceFacts } from '../../models/fit-device.ts';

/** What this browser tells about its device; it is asked for a GPU only where a model wants one. */
export async function deviceFacts(wantsGpu: boolean): Promise<DeviceFacts> {
  const { deviceMemory, gpu } = navigator as { deviceMemory?: number; gpu?: GPU };
  const adapter = wantsGpu ? await gpu?.requestAdapter().catch(() => null) : undefined;
  const { usage, quota } = await storageUse();
  return {
    ...(deviceMemory !== undefined && { memory: deviceMemory }),
    webgpu: !!adapter,
    f16: adapter?.features.has('shader-f16') ?? false,
    ...(usage !== undefined && quota !== undefined && { free: Math.max(0, quota - usage) }),
  };
}

export interface StorageUse {
  /** Bytes of everything that this site keeps. */
  readonly usage?: number;
  readonly quota?: number;
  /** Whether the browser has promised not to clear it by itself; undefined where it makes no such promise. */
  readonly persisted?: boolean;
}

export async function storageUse(): Promise<StorageUse> {
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage) return {};
  const { usage, quota } = await storage.estimate();
  const persisted = await storage.persisted?.();
  return {
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
    ...(persisted !== undefined && { persisted }),
  };
}

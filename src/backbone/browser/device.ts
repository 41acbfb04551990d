import { SelfIndexError } from '../../base/errors.ts';
import { sensibleThreads } from '../../embed/browser/machine.ts';

/** Those asked for, else a sensible number; one where threads cannot share memory. */
export function threadsFor(wanted: number | undefined): number {
  if (!self.crossOriginIsolated) return 1;
  return wanted ?? sensibleThreads();
}

/**
 * Looks for a GPU before anything is fetched for it.
 *
 * @throws SelfIndexError `device-unsupported` where there is no adapter, or it lacks one of the features (names of WebGPU)
 */
export async function requireGpu(features: readonly string[] = []): Promise<void> {
  const { gpu } = navigator as { gpu?: GPU };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter)
    throw new SelfIndexError(
      'device-unsupported',
      'This browser offers no WebGPU adapter. Choose a model that runs on the CPU.',
      { details: { missing: 'webgpu' } },
    );
  const missing = features.find((feature) => !adapter.features.has(feature));
  if (missing !== undefined)
    throw new SelfIndexError(
      'device-unsupported',
      `The GPU lacks "${missing}", which this model needs. Choose one without it, or one that runs on the CPU.`,
      { details: { missing } },
    );
}

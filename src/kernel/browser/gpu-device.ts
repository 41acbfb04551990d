import { messageOf, SelfIndexError } from '../../base/errors.ts';

export interface GpuDevice {
  readonly device: GPUDevice;
  /** True for an adapter that runs on the processor: right, but never fast. */
  readonly isSoftware: boolean;
  /** The WGSL extension packed_4x8_integer_dot_product. */
  readonly hasPackedDot: boolean;
}

/** A WebGPU device with buffers as large as the adapter has them. @throws `device-unsupported` where there is none */
export async function openGpuDevice(): Promise<GpuDevice> {
  const gpu = (navigator as Partial<Navigator>).gpu;
  if (!gpu) throw new SelfIndexError('device-unsupported', 'This browser has no WebGPU here.');
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new SelfIndexError('device-unsupported', 'WebGPU is there, but no adapter.');
  const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
  try {
    return {
      device: await adapter.requestDevice({ requiredLimits: { maxStorageBufferBindingSize, maxBufferSize } }),
      isSoftware: adapter.info.isFallbackAdapter,
      hasPackedDot: gpu.wgslLanguageFeatures.has('packed_4x8_integer_dot_product'),
    };
  } catch (cause) {
    throw new SelfIndexError('device-unsupported', `The WebGPU device does not open: ${messageOf(cause)}`, {
      cause,
    });
  }
}

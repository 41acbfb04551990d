import { env, LogLevel } from '@xenova/transformers';
import plainFactory from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainBinary from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import webgpuFactory from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import webgpuBinary from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import { SelfIndexError } from '../../base/errors.ts';
import { sensibleThreads } from './machine.ts';

type Device = 'wasm' | 'webgpu';
let started: Device | undefined;

/**
 * Sets up onnxruntime-web for this worker, once: its files from where this page came from (never a CDN), no cache of its own, no
 * network. The plain build is half the size and runs on the CPU alone; the other serves WebGPU too.
 *
 * @param threads as in `TransformersSpec`
 * @throws SelfIndexError `device-unsupported` where the worker already runs the plain build and WebGPU is asked for
 */
export function startRuntime(device: Device, threads?: number): void {
  if (started === 'wasm' && device === 'webgpu')
    throw new SelfIndexError(
      'device-unsupported',
      'This worker already runs on the CPU. Load a model for WebGPU in a worker of its own.',
    );
  if (started) return;
  started = device;
  const { wasm } = env.backends.onnx;
  if (!wasm) throw new SelfIndexError('internal', 'onnxruntime-web has no WebAssembly back end.');
  wasm.wasmPaths =
    device === 'webgpu'
      ? { mjs: webgpuFactory, wasm: webgpuBinary }
      : { mjs: plainFactory, wasm: plainBinary };
  wasm.numThreads = self.crossOriginIsolated ? (threads ?? sensibleThreads()) : 1;
  env.useWasmCache = false;
  env.useBrowserCache = false;
  env.useCustomCache = true;
  env.allowLocalModels = true;
  env.allowRemoteModels = false;
  env.logLevel = LogLevel.NONE;
  // Every file of a model is handed over from memory (load-model.ts); whatever else is asked for does not exist.
  env.fetch = async () => new Response(null, { status: 404 });
}

/** Resolves when the GPU device of this worker's sessions is gone, with the browser's reason. To be called after a session has begun. */
export async function deviceLost(): Promise<GPUDeviceLostInfo> {
  const { webgpu } = env.backends.onnx as { webgpu?: { device?: Promise<GPUDevice> } };
  const device = await webgpu?.device;
  if (!device) throw new SelfIndexError('internal', 'onnxruntime-web shows no WebGPU device.');
  return device.lost;
}

import { env, pipeline } from '@xenova/transformers';
import type { FeatureExtractionPipeline } from '@xenova/transformers';
import { expose } from 'comlink';
import factory from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import binary from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';

/** transformers.js as its manual says, with nothing of this project around it. */
const bare = {
  extract: undefined as FeatureExtractionPipeline | undefined,
  async load(model: string, dtype: 'q8' | 'fp32', threads: number): Promise<void> {
    env.allowLocalModels = true;
    env.allowRemoteModels = false;
    env.localModelPath = '/models/';
    env.useBrowserCache = false;
    const { wasm } = env.backends.onnx;
    if (wasm) {
      wasm.wasmPaths = { mjs: factory, wasm: binary };
      wasm.numThreads = threads;
    }
    bare.extract = await pipeline('feature-extraction', model, { dtype, device: 'wasm' });
  },
  async embed(texts: readonly string[]): Promise<Float32Array> {
    const output = await bare.extract?.([...texts], { pooling: 'mean', normalize: true });
    return Float32Array.from(output?.data as Float32Array);
  },
};
export type Bare = typeof bare;

expose(bare);

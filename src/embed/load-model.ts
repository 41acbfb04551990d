import { AutoTokenizer, env } from '@xenova/transformers';
import type { PretrainedModelOptions, PreTrainedModel, PreTrainedTokenizer } from '@xenova/transformers';
import { messageOf, SelfIndexError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { probeWebGpu } from './browser/machine.ts';
import { startRuntime } from './browser/runtime.ts';
import { fetchModelFiles, weightsPath } from './model-files.ts';
import type { LoadOptions, ModelFiles } from './model-files.ts';
import type { TransformersSpec } from './types.ts';

/** A class of transformers.js that makes a model from files, such as `AutoModel`. */
export interface ModelClass<M extends PreTrainedModel> {
  from_pretrained(id: string, options?: PretrainedModelOptions): Promise<M>;
}

export interface LoadedModel<M extends PreTrainedModel> {
  readonly model: M;
  readonly tokenizer: PreTrainedTokenizer;
  /** All files but the weights, whose memory is the runtime's now. */
  readonly files: ModelFiles;
  /** First 16 hex digits of the SHA-256 of the weights: another file is another model. */
  readonly revision: string;
  /** SHA-256 of tokenizer.json. */
  readonly tokenizerHash: string;
  readonly rewritten: boolean;
}

export interface WeightsOptions {
  /** Rewrites the weights for the runtime; undefined leaves them as they are. The revision names the file's own bytes. */
  readonly rewrite?: (weights: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> | undefined;
}

let loads = 0;

/**
 * Fetches, checks and starts a model on the device that the spec names. After a failure the runtime of this worker is in
 * no known state: the caller ends the worker.
 *
 * @throws SelfIndexError as `fetchModelFiles`; `device-unsupported` where there is no GPU or it lacks half precision;
 *   `model-corrupt` for weights that the runtime cannot read; `model-load-failed` otherwise, `details.reason` 'memory' where it
 *   ran out of it
 */
export async function loadModel<M extends PreTrainedModel>(
  modelClass: ModelClass<M>,
  spec: TransformersSpec,
  options: LoadOptions & WeightsOptions = {},
): Promise<LoadedModel<M>> {
  const { dtype = 'q8', device = 'wasm' } = spec;
  await checkDevice(device, dtype);
  startRuntime(device, spec.threads);
  const files = new Map(await fetchModelFiles(spec, options));
  const weights = files.get(weightsPath(dtype)) as Uint8Array<ArrayBuffer>;
  const revision = (await digest(weights)).slice(0, 16);
  const rewritten = options.rewrite?.(weights);
  if (rewritten) files.set(weightsPath(dtype), rewritten);
  const tokenizerHash = sha256Hex(files.get('tokenizer.json') as Uint8Array);

  // A name of its own for each load: transformers.js remembers what it once found, or did not find, under a name.
  const id = `load-${++loads}`;
  env.customCache = {
    match: async (path: string) => {
      const bytes = files.get(path.slice(path.indexOf(`${id}/`) + id.length + 1));
      return bytes && responseOf(bytes);
    },
    put: async () => {},
  };
  let model: M | undefined;
  try {
    const tokenizer = await AutoTokenizer.from_pretrained(id);
    model = await modelClass.from_pretrained(id, { dtype, device });
    options.signal?.throwIfAborted();
    for (const path of files.keys()) if (path.startsWith('onnx/')) files.delete(path);
    return { model, tokenizer, files, revision, tokenizerHash, rewritten: rewritten !== undefined };
  } catch (error) {
    await model?.dispose();
    options.signal?.throwIfAborted();
    throw loadError(spec.model, error);
  } finally {
    env.customCache = null;
  }
}

async function checkDevice(device: 'wasm' | 'webgpu', dtype: string): Promise<void> {
  if (device === 'wasm') return;
  const { available, f16 } = await probeWebGpu();
  if (!available)
    throw new SelfIndexError(
      'device-unsupported',
      'This browser offers no WebGPU adapter. Use the device "wasm".',
    );
  if (dtype === 'fp16' && !f16)
    throw new SelfIndexError(
      'device-unsupported',
      'The GPU does not compute in half precision (shader-f16). Use another dtype, or the device "wasm".',
    );
}

/** Bytes as the response that transformers.js reads, without the copy that a real body would cost. */
function responseOf(bytes: Uint8Array<ArrayBuffer>): Response {
  const response = new Response(null, { headers: { 'Content-Length': String(bytes.length) } });
  return Object.assign(response, { arrayBuffer: async () => bytes.buffer });
}

/** Weights are large: the platform's digest where there is one (secure contexts), else ours. */
async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  if (!subtle) return sha256Hex(bytes);
  return [...new Uint8Array(await subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

const corrupt =
  /protobuf parsing failed|INVALID_PROTOBUF|INVALID_GRAPH|Load model .*failed|ERROR_CODE: (7|10)\b/i;

/** True for the ways in which WebAssembly and the runtime say that memory is gone. */
export function isOutOfMemory(error: unknown): boolean {
  return /out of memory|bad_alloc|allocation failed|failed to allocate|memory access out of bounds|OOM\b/i.test(
    messageOf(error),
  );
}

function loadError(model: string, cause: unknown): SelfIndexError {
  const text = messageOf(cause);
  if (isOutOfMemory(cause))
    return new SelfIndexError(
      'model-load-failed',
      `There is not enough memory for model "${model}". Close other tabs, or use a smaller model.`,
      { details: { model, reason: 'memory' }, cause },
    );
  if (corrupt.test(text))
    return new SelfIndexError('model-corrupt', `The weights of model "${model}" are damaged: ${text}`, {
      details: { model },
      cause,
    });
  return new SelfIndexError('model-load-failed', `Model "${model}" could not be started: ${text}`, {
    details: { model },
    cause,
  });
}

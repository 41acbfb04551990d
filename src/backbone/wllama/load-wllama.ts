import { Wllama } from '@wllama/wllama';
import binary from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import { messageOf, SelfIndexError } from '../../base/errors.ts';
import type { LoadOptions } from '../../embed/model-files.ts';
import { requireGpu, threadsFor } from '../browser/device.ts';
import type { WllamaSpec } from '../generator-spec.ts';
import type { LanguageModel } from '../types.ts';
import { TokenCounter } from './chat.ts';
import { fetchGguf } from './fetch-gguf.ts';
import { WllamaModel } from './wllama-model.ts';

/** As in transformers-model.ts: the cache grows with it. */
const mostContext = 4096;
/** Room beyond the context for what a count may be off by. */
const slack = 32;
/**
 * Tokens of a prompt in one pass. What was aborted ends between two: at the 20 tokens a second of a model of 135M on two cores
 * that takes a second or two. Passes of 64 were a quarter faster there than those of 16.
 */
const tokensPerPass = { wasm: 32, webgpu: 512 } as const;
/** Below, a model is asked for plain lines (design.md §7). */
const largeParameters = 1.5e9;

/** llama.cpp writes a log of everything; what is wrong comes back as an error. */
const silent = { debug() {}, log() {}, warn() {}, error() {} };

/**
 * Loads a GGUF file into llama.cpp in WebAssembly, which runs in a worker of its own (and further ones for threads, where the
 * page is isolated). A schema is a grammar for it: an answer that ends within `maxTokens` fits. Greedy answers and those of one
 * seed repeat themselves, whatever was asked before.
 *
 * @throws SelfIndexError as `fetchGguf`; `device-unsupported` where there is no GPU, or no 64-bit memory of WebAssembly (Safari);
 *   `model-corrupt` for weights that llama.cpp cannot read; `model-load-failed` otherwise, `details.reason` 'memory' where it
 *   ran out of it
 */
export async function loadWllamaModel(spec: WllamaSpec, options: LoadOptions = {}): Promise<LanguageModel> {
  const { device = 'wasm', model } = spec;
  if (device === 'webgpu') await requireGpu();
  if (!hasLargeMemory())
    throw new SelfIndexError(
      'device-unsupported',
      'This browser has no 64-bit memory for WebAssembly, which GGUF files need. Choose a model of transformers.js.',
    );
  const { blob, head, revision } = await fetchGguf(spec, options);
  const contextTokens = Math.min(mostContext, head.contextTokens ?? Infinity);
  const wllama = new Wllama({ default: binary }, { suppressNativeLog: true, logger: silent });
  // Loading takes no signal, but ends when the runtime does.
  const stop = () => void wllama.exit();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    await wllama.loadModel([blob], {
      n_ctx: contextTokens + slack,
      n_threads: threadsFor(spec.threads),
      n_gpu_layers: device === 'webgpu' ? undefined : 0,
      n_parallel: 1,
      n_batch: tokensPerPass[device],
      n_ubatch: tokensPerPass[device],
      reasoning_format: 'none',
    });
    options.signal?.throwIfAborted();
    const counter = await TokenCounter.create(wllama, wllama.getLoadedContextInfo().n_ctx);
    options.signal?.throwIfAborted();
    return new WllamaModel(wllama, counter, {
      id: `wllama:${model}@${revision}/${device}`,
      contextTokens,
      promptStyle: head.parameters < largeParameters ? 'compact' : 'full',
      tokens: new Map(head.tokens.map((token, id) => [token, id])),
      control: head.control,
    });
  } catch (error) {
    await wllama.exit();
    options.signal?.throwIfAborted();
    throw loadError(model, error);
  } finally {
    options.signal?.removeEventListener('abort', stop);
  }
}

function hasLargeMemory(): boolean {
  try {
    // The types of WebAssembly do not know it yet.
    return !!new WebAssembly.Memory({
      address: 'i64',
      initial: 0n,
    } as unknown as WebAssembly.MemoryDescriptor);
  } catch {
    return false;
  }
}

function loadError(model: string, cause: unknown): SelfIndexError {
  const text = messageOf(cause);
  if (/memory|bad_alloc|Aborted\(OOM/i.test(text))
    return new SelfIndexError(
      'model-load-failed',
      `There is not enough memory for model "${model}". Close other tabs, or use a smaller model.`,
      { details: { model, reason: 'memory' }, cause },
    );
  return new SelfIndexError(
    'model-load-failed',
    `llama.cpp cannot load model "${model}": ${text}. It may be damaged, or of a kind that llama.cpp does not know.`,
    { details: { model }, cause },
  );
}

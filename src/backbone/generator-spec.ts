import type { TransformersSpec } from '../embed/types.ts';

/** A GGUF file that llama.cpp in WebAssembly (wllama) runs. */
export interface WllamaSpec {
  readonly runtime: 'wllama';
  /** A `.gguf` file below the base URL, for example `smollm2/SmolLM2-135M-Instruct.Q4_1.gguf`. */
  readonly model: string;
  /** Default `/models/`, relative to the page. */
  readonly base?: string;
  /** Default `wasm`. */
  readonly device?: 'wasm' | 'webgpu';
  /** Threads on the CPU, where the page is isolated; else there is one. Default: half of the cores, at most 4. */
  readonly threads?: number;
}

/** A model compiled for WebLLM. */
export interface WebLlmSpec {
  readonly runtime: 'webllm';
  /**
   * A folder below the base URL that holds `webllm.json` and, under `resolve/main/`, the model's files. Its name is MLC's:
   * `SmolLM2-135M-Instruct-q0f32-MLC`.
   */
  readonly model: string;
  /** Default `/models/`, relative to the page. */
  readonly base?: string;
}

/** The language model that the browser itself brings; it lives in the page. */
export interface PromptApiSpec {
  readonly runtime: 'prompt-api';
}

/** A model that a generator service loads, as plain data. */
export type GeneratorSpec = WorkerModelSpec | PromptApiSpec;

/** Those that the generator worker can load. */
export type WorkerModelSpec =
  (TransformersSpec & { readonly runtime?: 'transformers' }) | WllamaSpec | WebLlmSpec;

/** What names a vector space: vectors of two spaces never meet. */
export interface Fingerprint {
  readonly model: string;
  readonly revision: string;
  readonly dtype: string;
  readonly pooling: 'mean' | 'cls' | 'last';
  readonly dimensions: number;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** SHA-256 of the tokenizer's file, or its name where the file is not at hand. */
  readonly tokenizer: string;
  /** What is computed between weights of `q8` (`TransformersSpec.activations`). */
  readonly activations?: 'fp32' | 'int8';
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Texts to L2-normalised vectors. */
export interface Embedder {
  readonly fingerprint: Fingerprint;
  readonly dimensions: number;
  /** Longest input in tokens; what is beyond is cut. */
  readonly maxTokens: number;
  /** Row-major |texts| × dimensions. A text's vector does not depend on its neighbours. */
  embed(texts: readonly string[], role: 'query' | 'passage', options?: EmbedOptions): Promise<Float32Array>;
  dispose(): Promise<void>;
}

/** Where a model of transformers.js is: a folder under a base URL that this page serves. */
export interface TransformersSpec {
  /** For example `all-MiniLM-L6-v2`. */
  readonly model: string;
  /** Default `/models/`, relative to the page. */
  readonly base?: string;
  /** Default `q8`. */
  readonly dtype?: 'fp32' | 'fp16' | 'q8';
  /**
   * What an encoder with the weights `q8` computes in between them. `fp32` (default): its int8 weights are widened once, as the
   * model is loaded, at four bytes of memory each. `int8`: dynamic quantisation as in the file: half the time, further from the
   * original model (docs/benchmarks.md).
   */
  readonly activations?: 'fp32' | 'int8';
  /** Default `wasm`. */
  readonly device?: 'wasm' | 'webgpu';
  /**
   * Threads on the CPU, where the page is isolated; else there is one. Default: half of the cores, at most 4. More than are
   * idle make it several times slower.
   */
  readonly threads?: number;
}

/** What names a vector space: vectors of two spaces never meet. */
export interface Fingerprint {
  /** Absent: a sentence encoder. */
  readonly kind?: 'static';
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

/** Somewhere that a model can run. */
export interface DeviceChoice {
  readonly device: 'wasm' | 'webgpu';
  /** On the CPU. */
  readonly threads?: number;
}

/** A device that was not taken, or that gave up, and why. */
export interface RefusedDevice extends DeviceChoice {
  /**
   * `no-adapter`, `no-half-precision`: it cannot. `differs`: its vectors are not those of the CPU. `failed`: it could not be started, or
   * failed with an error. `lost`: it went away while it worked.
   */
  readonly reason: 'no-adapter' | 'no-half-precision' | 'differs' | 'failed' | 'lost';
  /** A sentence for people. */
  readonly message: string;
  /** Of the probe's texts, where it `differs`. */
  readonly leastCosine?: number;
}

/** Where an embedder runs, and what was found out on the way there. */
export interface DeviceReport extends DeviceChoice {
  /** `asked`: as the caller said. `raced`: it was the fastest. `remembered`: of an earlier race. `next`: after another was refused or lost. */
  readonly how: 'asked' | 'raced' | 'remembered' | 'next';
  /** What the race measured, fastest first. */
  readonly speeds: readonly (DeviceChoice & { readonly textsPerSecond: number })[];
  /** In the order in which they were refused. */
  readonly refused: readonly RefusedDevice[];
}

/** Texts to L2-normalised vectors. */
export interface Embedder {
  readonly fingerprint: Fingerprint;
  /** Where it runs, for one that has a choice. */
  readonly device?: DeviceReport;
  /** Called when `device` has changed. Returns the unsubscriber. */
  onDevice?(listener: (report: DeviceReport) => void): () => void;
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

/** A sentence encoder, and where it shall run. */
export interface EncoderSpec extends Omit<TransformersSpec, 'device'> {
  readonly kind?: 'encoder';
  /**
   * Default `wasm`. `auto`: what a short race shows to be the fastest, remembered for later starts. WebGPU is taken only where its
   * vectors are those of the CPU; where it is refused, or lost, the CPU takes over, and `Embedder.device` says why.
   */
  readonly device?: 'wasm' | 'webgpu' | 'auto';
}

/** Static embeddings in the format of model2vec (`model.safetensors`, `tokenizer.json`, `config.json`). */
export interface StaticSpec {
  readonly kind: 'static';
  /** Its folder below `base`. */
  readonly model: string;
  /** Default `/models/`, relative to the page. */
  readonly base?: string;
}

export type EmbedderSpec = EncoderSpec | StaticSpec;

import type { Downloaded } from './download.ts';

/** What a model is for, and in whose format: `static` is a table of token vectors, `gguf` is llama.cpp's, `webllm` is MLC's. */
export type ModelKind = 'embedder' | 'generator' | 'static' | 'gguf' | 'webllm';

/** A place that a person named or chose: nothing is fetched from anywhere else. */
export type ModelSource =
  /** A folder on a server; ends with a slash. */
  | { readonly kind: 'address'; readonly base: string }
  /** A repository of a hub in the layout of huggingface.co. */
  | { readonly kind: 'hub'; readonly hub: string; readonly repository: string; readonly revision: string }
  /** Files or a folder that a person gave. */
  | { readonly kind: 'files'; readonly name: string };

/** A file with what is known of its bytes beforehand. */
export interface KnownFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** What a model is called and said to be. */
export interface ModelLabel {
  /** Its name in specs; slashes are allowed. */
  readonly id: string;
  /** Default: what its files look like. */
  readonly kind?: ModelKind;
  readonly title?: string;
  readonly licence?: string;
}

/** A model that is kept in this browser. It is written last: what it lists was whole and right then. */
export interface KeptManifest extends ModelLabel {
  readonly format: 1;
  readonly kind: ModelKind;
  readonly source: ModelSource;
  /** The commit, where the hub named one. */
  readonly revision?: string;
  /** In paths below the model's folder. */
  readonly files: readonly KeptFile[];
  /** Milliseconds since 1970. */
  readonly installedAt: number;
}

export type KeptFile = Downloaded & { readonly path: string };

/** Bytes of all files. */
export function sizeOf({ files }: { readonly files: readonly { readonly size?: number }[] }): number {
  return files.reduce((sum, { size = 0 }) => sum + size, 0);
}

/**
 * What a model's files look like.
 * @param config its config.json, where it is at hand: it names the architecture
 */
export function kindOf(paths: readonly string[], config?: unknown): ModelKind {
  const has = (pattern: RegExp) => paths.some((path) => pattern.test(path));
  if (has(/\.gguf$/)) return 'gguf';
  if (has(/(^|\/)mlc-chat-config\.json$/)) return 'webllm';
  if (has(/(^|\/)generation_config\.json$/) || writes(config)) return 'generator';
  return has(/\.onnx$/) ? 'embedder' : 'static';
}

function writes(config: unknown): boolean {
  const { architectures } = (config ?? {}) as { architectures?: unknown };
  return (
    Array.isArray(architectures) &&
    architectures.some((name) => typeof name === 'string' && name.endsWith('ForCausalLM'))
  );
}

/** The weights of a model in the layout of transformers.js, smallest first; undefined where it has none. */
export function dtypeOf(paths: readonly string[]): 'q8' | 'fp32' | 'fp16' | undefined {
  if (paths.includes('onnx/model_quantized.onnx')) return 'q8';
  if (paths.includes('onnx/model.onnx')) return 'fp32';
  return paths.includes('onnx/model_fp16.onnx') ? 'fp16' : undefined;
}

/** Whether a model can be named so: letters, digits, - _ . in parts between slashes. */
export function isModelId(id: string): boolean {
  return /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(id);
}

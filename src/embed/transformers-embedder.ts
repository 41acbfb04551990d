import { AutoModel, Tensor } from '@xenova/transformers';
import type { PreTrainedModel, PreTrainedTokenizer } from '@xenova/transformers';
import { messageOf, SelfIndexError } from '../base/errors.ts';
import { createPacer } from '../base/pacer.ts';
import { deviceLost } from './browser/runtime.ts';
import { isOutOfMemory, loadModel } from './load-model.ts';
import type { LoadOptions } from './model-files.ts';
import { embeddingSettings } from './embedding-settings.ts';
import type { EmbeddingSettings } from './embedding-settings.ts';
import { planBatches } from './batches.ts';
import { widenWeights } from './onnx/widen-weights.ts';
import { poolRows } from './pooling.ts';
import type { EmbedOptions, Embedder, Fingerprint, TransformersSpec } from './types.ts';

/** Padded tokens in a batch: bounds memory, and the time until an abort is noticed. */
const tokensPerBatch = 4096;
/**
 * On the CPU a text alone is embedded about as fast as in a batch (0.9 to 1.3 times, measured on a busy machine), and its vector is the
 * same to the last bit, whatever else is embedded: in a batch f32 sums differ in their last digits, and dynamic int8 scales
 * activations by the largest value of all its texts. A GPU needs batches.
 */
const textsPerBatch = { wasm: 1, webgpu: 32 };

/**
 * Loads a sentence encoder of transformers.js. Runs where onnxruntime-web may block the thread: in the embedder worker.
 *
 * @throws SelfIndexError as `loadModel`, and `model-load-failed` where the model gives no finite vector
 */
export async function loadTransformersEmbedder(
  spec: TransformersSpec,
  options: LoadOptions = {},
): Promise<Embedder> {
  const { dtype = 'q8', device = 'wasm', activations = 'fp32' } = spec;
  const { model, tokenizer, files, revision, tokenizerHash, rewritten } = await loadModel(AutoModel, spec, {
    ...options,
    ...(dtype === 'q8' && activations === 'fp32' && { rewrite: widenWeights }),
  });
  const settings = embeddingSettings(spec.model, files, Number(tokenizer.model_max_length));
  const dynamic = dtype === 'q8' && !rewritten;
  const encoder = new Encoder(model, tokenizer, settings, device === 'webgpu' ? lostError() : undefined);
  let dimensions: number;
  try {
    dimensions = (await encoder.run([encoder.tokenize('.')])).dimensions;
  } catch (error) {
    await model.dispose();
    throw new SelfIndexError(
      'model-load-failed',
      `Model "${spec.model}" embeds nothing: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
  const fingerprint: Fingerprint = {
    model: spec.model,
    revision,
    dtype,
    pooling: settings.pooling,
    dimensions,
    queryPrefix: settings.queryPrefix,
    passagePrefix: settings.passagePrefix,
    tokenizer: tokenizerHash,
    ...(dtype === 'q8' && { activations: rewritten ? ('fp32' as const) : ('int8' as const) }),
  };
  return new TransformersEmbedder(encoder, fingerprint, dynamic ? 1 : textsPerBatch[device]);
}

/** Rejects when the GPU is gone: a computation that waits for it may never end. */
async function lostError(): Promise<never> {
  const { message } = await deviceLost();
  throw new SelfIndexError('device-lost', `The GPU is gone: ${message || 'no reason given'}`);
}

class TransformersEmbedder implements Embedder {
  readonly dimensions: number;
  readonly maxTokens: number;

  constructor(
    private readonly encoder: Encoder,
    readonly fingerprint: Fingerprint,
    private readonly batchSize: number,
  ) {
    this.dimensions = fingerprint.dimensions;
    this.maxTokens = encoder.settings.maxTokens;
  }

  async embed(
    texts: readonly string[],
    role: 'query' | 'passage',
    { signal, onProgress }: EmbedOptions = {},
  ): Promise<Float32Array> {
    const prefix = role === 'query' ? this.fingerprint.queryPrefix : this.fingerprint.passagePrefix;
    const pacer = createPacer(signal);
    const inputs: number[][] = [];
    for (const text of texts) {
      await pacer.pause();
      inputs.push(this.encoder.tokenize(prefix + text));
    }
    const vectors = new Float32Array(texts.length * this.dimensions);
    const lengths = inputs.map((ids) => ids.length);
    let done = 0;
    for (const batch of planBatches(lengths, this.batchSize, tokensPerBatch)) {
      await pacer.pause();
      const { rows } = await this.encoder.run(batch.map((index) => inputs[index]));
      batch.forEach((index, row) => vectors.set(rows[row], index * this.dimensions));
      done += batch.length;
      onProgress?.(done, texts.length);
    }
    signal?.throwIfAborted();
    return vectors;
  }

  async dispose(): Promise<void> {
    await this.encoder.dispose();
  }
}

class Encoder {
  constructor(
    private readonly model: PreTrainedModel,
    private readonly tokenizer: PreTrainedTokenizer,
    readonly settings: EmbeddingSettings,
    private readonly lost: Promise<never> | undefined,
  ) {
    lost?.catch(() => {}); // Told by whoever computes.
  }

  /** Token ids with the special tokens, at most `maxTokens` of them: what is beyond is cut, the closing token stays. */
  tokenize(text: string): number[] {
    const { maxTokens } = this.settings;
    // The tail of a long text is never seen, so it is not tokenised either.
    for (let length = maxTokens * 8; ; length *= 4) {
      const ids = this.encode(text.slice(0, length));
      if (ids.length > maxTokens) return [...ids.slice(0, maxTokens - 1), ids[ids.length - 1]];
      if (length >= text.length) return ids;
    }
  }

  /** One unit vector per input. */
  async run(inputs: readonly (readonly number[])[]) {
    const width = Math.max(...inputs.map((ids) => ids.length));
    const pad = BigInt(this.tokenizer.pad_token_id ?? 0);
    const ids = new BigInt64Array(inputs.length * width).fill(pad);
    const mask = new BigInt64Array(inputs.length * width);
    inputs.forEach((row, r) =>
      row.forEach((id, i) => {
        ids[r * width + i] = BigInt(id);
        mask[r * width + i] = 1n;
      }),
    );
    const dims = [inputs.length, width];
    const attention_mask = new Tensor('int64', mask, dims);
    const output = await this.forward({
      input_ids: new Tensor('int64', ids, dims),
      attention_mask,
      token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), dims),
    });
    return poolRows(
      output,
      inputs.map((row) => row.length),
      this.settings.pooling,
    );
  }

  async dispose(): Promise<void> {
    await this.model.dispose();
  }

  private encode(text: string): number[] {
    const { input_ids } = this.tokenizer(text, { return_tensor: false });
    return input_ids;
  }

  private async forward(inputs: Record<string, Tensor>): Promise<Tensor> {
    let outputs: Record<string, Tensor>;
    try {
      const computed = this.model(inputs) as Promise<Record<string, Tensor>>;
      outputs = await (this.lost ? Promise.race([computed, this.lost]) : computed);
    } catch (error) {
      if (error instanceof SelfIndexError) throw error;
      throw new SelfIndexError(
        'model-failed',
        isOutOfMemory(error)
          ? 'The embedding model ran out of memory. Reload it, or use a smaller one.'
          : `The embedding model failed: ${messageOf(error)}. Reload it.`,
        { cause: error, details: isOutOfMemory(error) ? { reason: 'memory' } : {} },
      );
    }
    return outputs.sentence_embedding ?? outputs.last_hidden_state ?? outputs.token_embeddings;
  }
}

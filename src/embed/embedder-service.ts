import { transfer } from 'comlink';
import { isAbort, SelfIndexError } from '../base/errors.ts';
import { answerCall } from '../base/rpc-calls.ts';
import { contentHash } from '../base/hash.ts';
import { loadTransformersEmbedder } from './transformers-embedder.ts';
import type { Embedder, Fingerprint, TransformersSpec } from './types.ts';

/** What a side that connects must know of a model to use it. */
export interface EmbedderInfo {
  /** Names the loaded model in later calls. */
  readonly handle: string;
  readonly fingerprint: Fingerprint;
  readonly maxTokens: number;
}

/**
 * What the embedder worker offers over comlink. Sides that ask for one spec share one model, which stays until the last of
 * them lets go. Calls of several sides take turns text by text (batch by batch), so a query never waits for a collection.
 */
export class EmbedderService {
  private readonly loaded = new Map<string, { readonly embedder: Promise<Embedder>; uses: number }>();

  /** `loadEmbedder`: how a model is loaded, for a worker that keeps vectors or has other runtimes. */
  constructor(private readonly loadEmbedder = loadTransformersEmbedder) {}

  load(spec: TransformersSpec, port?: MessagePort): Promise<EmbedderInfo> {
    return answerCall<EmbedderInfo, [number, number]>(port, async (options) => {
      const handle = contentHash(spec);
      for (;;) {
        let entry = this.loaded.get(handle);
        if (!entry) {
          entry = { embedder: this.loadEmbedder(spec, options), uses: 0 };
          this.loaded.set(handle, entry);
        }
        try {
          const { fingerprint, maxTokens } = await entry.embedder;
          entry.uses++;
          return { handle, fingerprint, maxTokens };
        } catch (error) {
          if (this.loaded.get(handle) === entry) this.loaded.delete(handle);
          // Another side began this load and gave it up; this one still wants it.
          if (isAbort(error) && !options.signal?.aborted) continue;
          throw error;
        }
      }
    });
  }

  embed(
    handle: string,
    texts: readonly string[],
    role: 'query' | 'passage',
    port?: MessagePort,
  ): Promise<Float32Array> {
    return answerCall<Float32Array, [number, number]>(port, async (options) => {
      const entry = this.loaded.get(handle);
      if (!entry)
        throw new SelfIndexError('model-not-found', 'This embedder has been disposed of. Load it again.');
      const vectors = await (await entry.embedder).embed(texts, role, options);
      return transfer(vectors, [vectors.buffer]);
    });
  }

  async dispose(handle: string): Promise<void> {
    const entry = this.loaded.get(handle);
    if (!entry || --entry.uses > 0) return;
    this.loaded.delete(handle);
    await (await entry.embedder).dispose();
  }
}

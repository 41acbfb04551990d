import { transfer } from 'comlink';
import { createChannel } from '../base/channel.ts';
import { isAbort, SelfIndexError } from '../base/errors.ts';
import { answerCall, answerIterable } from '../base/rpc-calls.ts';
import { contentHash } from '../base/hash.ts';
import type { LoadOptions } from './model-files.ts';
import type { DeviceReport, Embedder, EmbedderSpec, Fingerprint } from './types.ts';

/** What a side that connects must know of a model to use it. */
export interface EmbedderInfo {
  /** Names the loaded model in later calls. */
  readonly handle: string;
  readonly fingerprint: Fingerprint;
  readonly maxTokens: number;
  readonly device?: DeviceReport;
}

export type LoadEmbedder = (spec: EmbedderSpec, options: LoadOptions) => Promise<Embedder>;

/**
 * What the embedder worker offers over comlink. Sides that ask for one spec share one model, which stays until the last of
 * them lets go. Calls of several sides take turns text by text (batch by batch), so a query never waits for a collection.
 */
export class EmbedderService {
  private readonly loaded = new Map<string, { readonly embedder: Promise<Embedder>; uses: number }>();

  constructor(private readonly loadEmbedder: LoadEmbedder) {}

  load(spec: EmbedderSpec, port?: MessagePort): Promise<EmbedderInfo> {
    return answerCall<EmbedderInfo, [number, number]>(port, async (options) => {
      const handle = contentHash(spec);
      for (;;) {
        let entry = this.loaded.get(handle);
        if (!entry) {
          entry = { embedder: this.loadEmbedder(spec, options), uses: 0 };
          this.loaded.set(handle, entry);
        }
        try {
          const { fingerprint, maxTokens, device } = await entry.embedder;
          entry.uses++;
          return { handle, fingerprint, maxTokens, ...(device && { device }) };
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

  /** Every change of the device from now on, until the caller leaves. */
  devices(handle: string, port: MessagePort): Promise<void> {
    return answerIterable(port, (signal) => {
      const changes = createChannel<DeviceReport>();
      signal.addEventListener('abort', () => changes.close());
      this.loaded
        .get(handle)
        ?.embedder.then((embedder) => {
          const { device } = embedder;
          // What has happened since it was loaded is news too.
          if (device) changes.push(device);
          const unsubscribe = embedder.onDevice?.((report) => changes.push(report));
          signal.addEventListener('abort', () => unsubscribe?.());
        })
        .catch((error: unknown) => changes.close(error));
      return changes;
    });
  }

  async dispose(handle: string): Promise<void> {
    const entry = this.loaded.get(handle);
    if (!entry || --entry.uses > 0) return;
    this.loaded.delete(handle);
    await (await entry.embedder).dispose();
  }
}

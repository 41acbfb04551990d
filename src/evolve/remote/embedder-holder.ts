import { abortable } from '../../base/abortable.ts';
import { SelfIndexError } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import { restoreSpec, sameSpace, spaceSpec } from '../../embed/same-space.ts';
import type { Embedder, EmbedderSpec, StaticSpec } from '../../embed/types.ts';
import type { EmbedderHost } from '../../embed/worker-embedder.ts';
import type { RetrieverKind } from '../../retrieve/types.ts';
import type { IndexStore } from '../../store/types.ts';
import type { IndexEngine, StandIn } from '../index-engine.ts';
import { makeMachinery } from '../machinery.ts';
import type { EmbeddingStatus } from '../types.ts';
import { EmbeddingNews } from './embedding-news.ts';

/** The setting that names the model whose vectors answer. */
const settingName = 'embedder';

export interface EmbedderWish {
  readonly embedder: EmbedderSpec;
  readonly instant?: StaticSpec;
  readonly retriever: RetrieverKind;
}

export interface HolderParts {
  readonly host: EmbedderHost;
  readonly store: Pick<IndexStore, 'setting' | 'putSetting' | 'vectors'>;
  /** Called when another embedder has taken over for good. */
  readonly onChange: () => Promise<void>;
}

interface Loaded {
  readonly spec: EmbedderSpec;
  readonly embedder: Embedder;
}

type Engine = Pick<IndexEngine, 'replaceMachinery' | 'whenQuiet'>;

/**
 * The embedder of an open index: which one answers, which one is on its way, and the change from one to the other. Each has a vector
 * space, and a machinery, of its own; searches meet the vectors of one of them.
 */
export class EmbedderHolder {
  private readonly news = new EmbeddingNews();
  private engine: Engine | undefined;
  /** What was asked for, until it answers. */
  private wanted: EmbedderSpec | undefined;
  /** Static embeddings stand in for it while it embeds. */
  private encoder: Loaded | undefined;
  private change: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  private readonly ended = new AbortController();

  private constructor(
    private readonly parts: HolderParts,
    private readonly wish: EmbedderWish,
    private present: Loaded,
    private readonly instant: Loaded | undefined,
  ) {
    if (!sameSpace(present.spec, wish.embedder)) this.wanted = wish.embedder;
    this.news.answering(present.embedder);
  }

  /**
   * Loads what answers first: the embedder that answered when the index was last open, if another is asked for now and it is still
   * there; else static embeddings, where there are any; else the embedder itself.
   * @throws SelfIndexError what loading the last two throws
   */
  static async open(wish: EmbedderWish, parts: HolderParts): Promise<EmbedderHolder> {
    const { embedder, retriever } = wish;
    const load = async (spec: EmbedderSpec): Promise<Loaded> => ({
      spec,
      embedder: await loadFrom(parts, spec),
    });
    // Without vectors nothing has to wait for them.
    if (retriever === 'bm25') return new EmbedderHolder(parts, wish, await load(embedder), undefined);
    const spec = wish.instant && !sameSpace(wish.instant, embedder) ? wish.instant : undefined;
    const instant = spec && { spec, embedder: await parts.host.load(spec) };
    const former = await formerEmbedder(embedder, parts, load);
    return new EmbedderHolder(parts, wish, former ?? instant ?? (await load(embedder)), instant);
  }

  /** The one that answers. */
  get current(): Embedder {
    return this.present.embedder;
  }

  get status(): EmbeddingStatus {
    return this.news.status;
  }

  onStatus(listener: (status: EmbeddingStatus) => void): () => void {
    return this.news.onStatus(listener);
  }

  /** With the index open, and all its keys embedded by what answers: what is wanted begins to come. */
  async begin(engine: Engine): Promise<void> {
    this.engine = engine;
    if (this.wanted) this.bringQuietly(this.wanted);
    else await this.keep(this.present.spec);
  }

  /** Resolves when the embedder that was asked for answers. One that failed is tried again. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.wanted) return;
    await abortable(this.change?.done ?? this.bring(this.wanted), signal);
  }

  /** As `ConnectedIndex.setEmbedder`. */
  async set(spec: EmbedderSpec, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const before = this.wanted;
    this.wanted = spec;
    try {
      await this.bring(spec, signal);
    } catch (error) {
      if (this.wanted === spec) {
        this.wanted = before;
        // What static embeddings stand in for is still to come.
        if (before && !this.ended.signal.aborted) this.bringQuietly(before);
      }
      throw error;
    }
  }

  /** Static embeddings in place of the encoder that answers, which begins to come once they are taken; none while there is a change. */
  standIn(): StandIn | undefined {
    const { instant, present } = this;
    if (!instant || present === instant || this.change) return undefined;
    return {
      machinery: this.machineryOf(instant.embedder),
      taken: () => {
        this.encoder = present;
        this.present = instant;
        this.wanted = present.spec;
        this.news.answering(instant.embedder);
        this.bringQuietly(present.spec);
      },
    };
  }

  async dispose(): Promise<void> {
    this.ended.abort(new SelfIndexError('storage-closed', 'The index is closed: open it again.'));
    await this.change?.done.catch(() => {});
    this.news.end();
    const all = new Set([this.present, this.instant, this.encoder]);
    for (const each of all) await each?.embedder.dispose();
    this.parts.host.terminate();
  }

  /** Its end is news; whoever waits for it asks again. */
  private bringQuietly(spec: EmbedderSpec): void {
    this.bring(spec).catch(() => {});
  }

  private bring(spec: EmbedderSpec, signal?: AbortSignal): Promise<void> {
    const before = this.change;
    before?.stop.abort(new DOMException('Another embedder was asked for meanwhile.', 'AbortError'));
    const stop = new AbortController();
    const until = AbortSignal.any([stop.signal, this.ended.signal, ...(signal ? [signal] : [])]);
    const begun = before?.done.catch(() => {}) ?? Promise.resolve();
    const change = { stop, done: begun.then(() => this.take(spec, until)) };
    this.change = change;
    change.done
      .catch((error: unknown) => this.news.failed(spec.model, until.aborted ? until.reason : error))
      .finally(() => {
        if (this.change === change) this.change = undefined;
      });
    return change.done;
  }

  private async take(spec: EmbedderSpec, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const before = this.present;
    const waiting =
      this.encoder && canonicalJson(this.encoder.spec) === canonicalJson(spec) ? this.encoder : undefined;
    const next = waiting ?? { spec, embedder: await this.load(spec, signal) };
    const onTaken = async () => {
      this.present = next;
      this.wanted = undefined;
      this.news.answering(next.embedder);
      await this.keep(spec);
      await this.parts.onChange();
    };
    try {
      if (!this.engine) throw new SelfIndexError('internal', 'There is no index to change the embedder of.');
      if (this.wish.retriever === 'bm25') await this.engine.whenQuiet(onTaken);
      else {
        const onProgress = this.news.coming(spec.model, 'embedding');
        const machinery = this.machineryOf(next.embedder);
        await this.engine.replaceMachinery(machinery, next.embedder, { signal, onProgress, onTaken });
      }
    } finally {
      if (this.present === next) {
        const over = new Set([before, this.encoder]);
        this.encoder = undefined;
        for (const each of over) if (each !== next && each !== this.instant) await each?.embedder.dispose();
      } else if (next !== waiting) await next.embedder.dispose();
    }
  }

  private load(spec: EmbedderSpec, signal: AbortSignal): Promise<Embedder> {
    const onProgress = this.news.coming(spec.model, 'loading');
    return loadFrom(this.parts, spec, { signal, onProgress });
  }

  private machineryOf(embedder: Embedder) {
    return makeMachinery(this.wish.retriever, { embedder });
  }

  /** What answers now is what the next start begins with. */
  private async keep(spec: EmbedderSpec): Promise<void> {
    if (this.wish.retriever !== 'bm25') await this.parts.store.putSetting(settingName, spaceSpec(spec));
  }
}

async function loadFrom(
  { host, store }: HolderParts,
  spec: EmbedderSpec,
  options?: Parameters<EmbedderHost['load']>[1],
): Promise<Embedder> {
  return cachedEmbedder(await host.load(spec, options), store.vectors);
}

/** The embedder that answered when the index was last open, where that is another than the one that is wanted now. */
async function formerEmbedder(
  wanted: EmbedderSpec,
  { store }: HolderParts,
  load: (spec: EmbedderSpec) => Promise<Loaded>,
): Promise<Loaded | undefined> {
  const former = restoreSpec(await store.setting(settingName), wanted);
  if (!former || sameSpace(former, wanted)) return undefined;
  try {
    return await load(former);
  } catch {
    // It is no longer there, and was not asked for: what was asked for answers as soon as it can.
    return undefined;
  }
}

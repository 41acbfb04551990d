import { isAbort, messageOf, SelfIndexError } from '../../base/errors.ts';
import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import { restoreSpec, sameSpace, spaceSpec } from '../../embed/same-space.ts';
import type { Embedder, EmbedderSpec, StaticSpec } from '../../embed/types.ts';
import type { EmbedderHost } from '../../embed/worker-embedder.ts';
import type { RetrieverKind } from '../../retrieve/types.ts';
import type { IndexStore } from '../../store/types.ts';
import type { IndexEngine } from '../index-engine.ts';
import { makeMachinery } from '../machinery.ts';
import type { EmbeddingStatus } from '../types.ts';

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
  /** Called when another embedder has taken over. */
  readonly onChange: () => Promise<void>;
}

type Engine = Pick<IndexEngine, 'replaceMachinery'>;

/**
 * The embedder of an open index: which one answers, which one is on its way, and the change from one to the other. Each has a vector
 * space, and a machinery, of its own; searches meet the vectors of one of them.
 */
export class EmbedderHolder {
  private state: EmbeddingStatus = {};
  private readonly listeners = new Set<(status: EmbeddingStatus) => void>();
  private unsubscribe = () => {};
  private engine: Engine | undefined;
  private change: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;
  private readonly ended = new AbortController();

  private constructor(
    private readonly parts: HolderParts,
    private readonly retriever: RetrieverKind,
    private present: Embedder,
    /** What was asked for. */
    private readonly asked: EmbedderSpec,
    /** Until it answers. */
    private wanted: EmbedderSpec | undefined,
  ) {
    this.answer(present);
  }

  /**
   * Loads what answers first: the embedder that answered when the index was last open, if another is asked for now and it is still
   * there; else static embeddings, where there are any; else the embedder itself.
   * @throws SelfIndexError what loading the last two throws
   */
  static async open(wish: EmbedderWish, parts: HolderParts): Promise<EmbedderHolder> {
    const { embedder, instant, retriever } = wish;
    const first = retriever === 'bm25' ? undefined : await firstToAnswer(embedder, instant, parts);
    if (first) return new EmbedderHolder(parts, retriever, first, embedder, embedder);
    const loaded = cachedEmbedder(await parts.host.load(embedder), parts.store.vectors);
    return new EmbedderHolder(parts, retriever, loaded, embedder, undefined);
  }

  /** The one that answers. */
  get current(): Embedder {
    return this.present;
  }

  get status(): EmbeddingStatus {
    return this.state;
  }

  onStatus(listener: (status: EmbeddingStatus) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** With the index open, and all its keys embedded by what answers: what is wanted begins to come. */
  async begin(engine: Engine): Promise<void> {
    this.engine = engine;
    // Whoever evolves asks for it again and is told why it failed.
    if (this.wanted) this.bring(this.wanted).catch(() => {});
    else await this.parts.store.putSetting(settingName, spaceSpec(this.asked));
  }

  /** Resolves when the embedder that was asked for answers. One that failed is tried again. */
  async ready(signal: AbortSignal): Promise<void> {
    if (!this.wanted) return;
    const done = this.change?.done ?? this.bring(this.wanted);
    await Promise.race([done, rejection(signal)]);
  }

  /** As `ConnectedIndex.setEmbedder`. */
  async set(spec: EmbedderSpec, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.wanted = spec;
    await this.bring(spec, signal);
  }

  async dispose(): Promise<void> {
    this.ended.abort(new SelfIndexError('storage-closed', 'The index is closed: open it again.'));
    await this.change?.done.catch(() => {});
    this.unsubscribe();
    await this.present.dispose();
    this.parts.host.terminate();
  }

  private bring(spec: EmbedderSpec, signal?: AbortSignal): Promise<void> {
    const before = this.change;
    before?.stop.abort(new DOMException('Another embedder was asked for meanwhile.', 'AbortError'));
    const stop = new AbortController();
    const until = AbortSignal.any([stop.signal, this.ended.signal, ...(signal ? [signal] : [])]);
    const change = {
      stop,
      done: (before?.done.catch(() => {}) ?? Promise.resolve()).then(() => this.take(spec, until)),
    };
    this.change = change;
    change.done
      .catch((error: unknown) => this.fail(spec, until.aborted ? until.reason : error))
      .finally(() => {
        if (this.change === change) this.change = undefined;
      });
    return change.done;
  }

  private async take(spec: EmbedderSpec, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { host, store, onChange } = this.parts;
    const { model } = spec;
    this.tell({ ...this.state, failed: undefined, coming: { model, stage: 'loading', done: 0, total: 0 } });
    const progress = (stage: 'loading' | 'embedding') => (done: number, total: number) =>
      this.progress({ model, stage, done, total });
    const loaded = await host.load(spec, { signal, onProgress: progress('loading') });
    const next = cachedEmbedder(loaded, store.vectors);
    const before = this.present;
    const onTaken = async () => {
      this.present = next;
      this.wanted = undefined;
      await store.putSetting(settingName, spaceSpec(spec));
      await onChange();
    };
    try {
      if (!this.engine) throw new SelfIndexError('internal', 'There is no index to change the embedder of.');
      const { retriever } = this;
      if (retriever === 'bm25') await onTaken();
      else {
        const machinery = makeMachinery(retriever, { embedder: next });
        await this.engine.replaceMachinery(machinery, next, {
          signal,
          onProgress: progress('embedding'),
          onTaken,
        });
      }
    } finally {
      if (this.present === next) {
        this.answer(next);
        await before.dispose();
      } else await next.dispose();
    }
  }

  private answer(embedder: Embedder): void {
    this.unsubscribe();
    this.unsubscribe = embedder.onDevice?.((device) => this.tell({ ...this.state, device })) ?? (() => {});
    const { fingerprint, device } = embedder;
    this.tell({ answering: fingerprint, ...(device && { device }) });
  }

  private fail(spec: EmbedderSpec, error: unknown): void {
    const code = error instanceof SelfIndexError ? error.code : isAbort(error) ? 'aborted' : 'internal';
    this.tell({
      ...this.state,
      coming: undefined,
      failed: { model: spec.model, code, message: messageOf(error) },
    });
  }

  /** Told when a further hundredth is done. */
  private progress(coming: NonNullable<EmbeddingStatus['coming']>): void {
    const before = this.state.coming;
    const hundredth = ({ done, total }: typeof coming) => Math.floor((100 * done) / Math.max(1, total));
    if (before?.stage === coming.stage && hundredth(before) === hundredth(coming)) return;
    this.tell({ ...this.state, coming });
  }

  private tell(status: EmbeddingStatus): void {
    // Without what is undefined: it crosses to the page as plain data.
    this.state = Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
    for (const listener of [...this.listeners]) listener(this.state);
  }
}

async function firstToAnswer(
  wanted: EmbedderSpec,
  instant: StaticSpec | undefined,
  { host, store }: HolderParts,
): Promise<Embedder | undefined> {
  const former = restoreSpec(await store.setting(settingName), wanted);
  if (former && !sameSpace(former, wanted)) {
    try {
      return cachedEmbedder(await host.load(former), store.vectors);
    } catch {
      // It is no longer there, and was not asked for: what was asked for answers as soon as it can.
    }
  }
  return instant && !sameSpace(instant, wanted) ? host.load(instant) : undefined;
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

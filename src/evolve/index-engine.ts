import { createChannel } from '../base/channel.ts';
import { SelfIndexError } from '../base/errors.ts';
import { mapPaced } from '../base/pacer.ts';
import type { Document } from '../corpus/types.ts';
import type { EmbedOptions, Embedder } from '../embed/types.ts';
import { makeSnippet } from '../corpus/snippet.ts';
import { keySetsAt } from '../keys/lifetimes.ts';
import { textKeys } from '../keys/text-keys.ts';
import type { IndexKey, IndexVersion, Revision } from '../keys/types.ts';
import { defaultAggregate, type DocumentHit } from '../retrieve/types.ts';
import type { Roles } from '../roles/types.ts';
import type { IndexStore } from '../store/types.ts';
import { beginRun, continueRun, interruptedRun, type Begun } from './begin-run.ts';
import { withFaithfulnessCache } from './cached-judge.ts';
import { checkDocuments } from './check-documents.ts';
import { checkEvolveOptions, checkSettings } from './check-options.ts';
import { Conductor } from './conductor.ts';
import { configOf } from './run-config.ts';
import { HeldState } from './held-state.ts';
import { rollBack } from './roll-back.ts';
import { runEvolution } from './run.ts';
import type { IndexState, Machinery } from './state.ts';
import type { Tabs } from './tabs.ts';
import { listTeachings, teach } from './teach.ts';
import type {
  EvolveEvent,
  EvolveOptions,
  IndexSettings,
  KeyHistory,
  SearchOptions,
  SearchResult,
  SelfIndex,
  Teaching,
} from './types.ts';

export const defaultSettings: IndexSettings = {
  retriever: 'bm25',
  aggregate: defaultAggregate,
  keyBudget: 10,
  depth: 30,
};

const defaultLimit = 10;
const settingsName = 'settings';

/** From this many new documents on, an embedder is not waited for where something stands in for it. */
const manyDocuments = 32;

/** Other machinery, for a while. */
export interface StandIn {
  readonly machinery: Machinery;
  /** Called when it has taken over. */
  readonly taken: () => void;
}

export interface EngineParts {
  readonly store: IndexStore;
  readonly tabs: Tabs;
  readonly machinery: Machinery;
  readonly settings: IndexSettings;
  /** Made when first needed: a model is loaded by the act of evolving, not of opening. */
  makeRoles(state: IndexState): Promise<Roles>;
  /** Evolution waits for it: an embedder that is still on its way, say. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** What many new documents are searched with until the embedder has embedded them; undefined for none. */
  readonly standIn?: () => StandIn | undefined;
  /** Called once, when the index is closed. */
  dispose?(): Promise<void>;
  readonly now?: () => number;
  readonly clock?: () => number;
}

/** `SelfIndex` in this thread: owns the store, the retriever and the evolution of one index. */
export class IndexEngine implements SelfIndex {
  private readonly conductor: Conductor;
  private readonly listeners = new Set<(version: number) => void>();
  private readonly unsubscribe: () => void;
  private readonly interrupt = new AbortController();
  /** Another tab wrote, and this one has not read it yet. */
  private behind = false;
  /** Why it could not; the next search tries once more and tells. */
  private trouble: unknown;

  private constructor(
    private readonly parts: EngineParts,
    private readonly current: { settings: IndexSettings },
    private readonly held: HeldState,
  ) {
    this.conductor = new Conductor(parts.tabs);
    this.unsubscribe = parts.tabs.onVersion((version) => {
      this.behind = true;
      this.follow(version).catch((error: unknown) => (this.trouble = error));
    });
  }

  static async open(parts: EngineParts, signal?: AbortSignal): Promise<IndexEngine> {
    const saved = (await parts.store.setting(settingsName)) as unknown as Partial<IndexSettings> | undefined;
    const settings = checkSettings({ ...parts.settings, ...saved });
    const current = { settings };
    const aggregate = () => current.settings.aggregate;
    const held = await HeldState.open(parts.store, parts.machinery, aggregate, signal);
    return new IndexEngine(parts, current, held);
  }

  private get state(): IndexState {
    return this.held.present;
  }

  get evolving(): boolean {
    return this.conductor.evolving;
  }

  get name(): string {
    return this.parts.store.name;
  }

  async settings(): Promise<IndexSettings> {
    return this.current.settings;
  }

  /** The retriever itself is chosen on opening; the rest takes effect at once. */
  async configure(changes: Partial<IndexSettings>): Promise<void> {
    const next = checkSettings({ ...this.current.settings, ...changes });
    if (next.retriever !== this.parts.settings.retriever) {
      throw new SelfIndexError(
        'invalid-argument',
        'The retriever is chosen on opening: close the index and open it anew.',
      );
    }
    const { aggregate, keyBudget, depth } = next;
    await this.parts.store.putSetting(settingsName, { aggregate, keyBudget, depth });
    this.current.settings = next;
    this.state.retriever.setAggregate(aggregate);
    await this.held.forgetPast();
  }

  async add(documents: readonly Document[], signal?: AbortSignal): Promise<void> {
    const checked = checkDocuments(documents);
    if (checked.length === 0) return;
    await this.conductor.write(async () => {
      await this.parts.store.putDocuments(checked);
      const standIn = checked.length < manyDocuments ? undefined : this.parts.standIn?.();
      await this.held.reload(signal, standIn?.machinery);
      standIn?.taken();
    });
    this.parts.tabs.announce(this.state.version);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.conductor.write(async () => {
      await this.parts.store.removeDocuments(ids);
      await this.held.reload();
    });
    this.parts.tabs.announce(this.state.version);
  }

  /**
   * Searches with another embedder once its vectors are all there; until then, and after a failure or an abort, as before. What the
   * embedder has embedded by then is in its cache.
   *
   * @param embedder caching, and that of `machinery`
   * @param onTaken called, and waited for, in the moment in which it takes over: nothing writes or evolves meanwhile
   */
  async replaceMachinery(
    machinery: Machinery,
    embedder: Embedder,
    { signal, onProgress, onTaken }: EmbedOptions & { readonly onTaken?: () => Promise<void> } = {},
  ): Promise<void> {
    const stop = AbortSignal.any([this.interrupt.signal, ...(signal ? [signal] : [])]);
    // What comes meanwhile is embedded before it takes over, too: then nobody has to wait.
    for (let known = new Set<string>(), missing = this.keyTexts(); missing.length > 0;) {
      for (const text of missing) known.add(text);
      await embedder.embed([...known], 'passage', { signal: stop, onProgress });
      missing = this.keyTexts().filter((text) => !known.has(text));
    }
    let old: { readonly gone: Promise<void> } | undefined;
    await this.conductor.whenQuiet(async () => {
      stop.throwIfAborted();
      old = await this.held.reload(stop, machinery);
      await onTaken?.();
    });
    await old?.gone;
  }

  /** Runs work that must not meet a write or an evolution. */
  whenQuiet(work: () => Promise<void>): Promise<void> {
    return this.conductor.whenQuiet(work);
  }

  async documents(): Promise<Document[]> {
    return [...this.state.documents.values()];
  }

  async search(text: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    const { version, limit = defaultLimit, signal } = options;
    return this.inState(version, signal, async (state) => {
      const hits = await state.retriever.rank(text, limit, signal);
      return hits.flatMap((hit): SearchResult[] => {
        const document = state.documents.get(hit.documentId);
        const keys = state.keySets.get(hit.documentId);
        if (!document || !keys) return [];
        const key = textKeys(keys).find((candidate) => candidate.id === hit.keyId) ?? keys.original;
        return [{ ...hit, document, key, snippet: makeSnippet(document.text, text, state.analyser) }];
      });
    });
  }

  async rankings(queries: readonly string[], options: SearchOptions = {}): Promise<DocumentHit[][]> {
    const { version, limit = defaultLimit, signal } = options;
    return this.inState(version, signal, (state) =>
      mapPaced(queries, (query) => state.retriever.rank(query, limit, signal), signal),
    );
  }

  evolve(options: EvolveOptions = {}): AsyncIterable<EvolveEvent> {
    const checked = checkEvolveOptions(options);
    return this.perform(checked.signal, (roles) => {
      const { store } = this.parts;
      const { settings } = this.current;
      return beginRun(checked, roles, { store, state: this.state, settings, now: this.now() });
    });
  }

  resume(signal?: AbortSignal): AsyncIterable<EvolveEvent> {
    return this.perform(signal, (roles) =>
      continueRun(roles, { store: this.parts.store, state: this.state }),
    );
  }

  async unfinished(): Promise<{ runId: string; iterations: number; of: number } | null> {
    if (this.conductor.evolving) return null;
    const run = await interruptedRun({ store: this.parts.store, state: this.state });
    return run ? { runId: run.id, iterations: run.iterations, of: configOf(run).iterations } : null;
  }

  async opened(query: string, documentId: string, rank: number): Promise<Teaching | null> {
    if (!this.state.documents.has(documentId)) throw unknownDocument(documentId);
    return this.conductor.writeWhenIdle(async () => {
      const teaching = await teach({
        query,
        documentId,
        rank,
        state: this.state,
        store: this.parts.store,
        settings: this.current.settings,
        now: this.now(),
      });
      if (teaching?.version) this.announce(teaching.version);
      return teaching;
    });
  }

  async teachings(): Promise<Teaching[]> {
    return listTeachings(this.parts.store);
  }

  async keys(documentId: string, version?: number): Promise<IndexKey[]> {
    const document = this.state.documents.get(documentId);
    if (!document) throw unknownDocument(documentId);
    const held = this.held.inMemory(version);
    const sets =
      held?.keySets ??
      keySetsAt(await this.parts.store.keys(), [document], await this.held.check(version as number));
    const set = sets.get(documentId);
    if (!set) return [];
    return set.expansion ? [...textKeys(set), set.expansion] : [...textKeys(set)];
  }

  async history(documentId: string): Promise<KeyHistory> {
    if (!this.state.documents.has(documentId)) throw unknownDocument(documentId);
    const records = (await this.parts.store.keys()).filter((record) => record.documentId === documentId);
    return { records, revisions: await this.parts.store.revisions({ documentId }) };
  }

  revisions(version: number): Promise<Revision[]> {
    return this.parts.store.revisions({ version });
  }

  versions(): Promise<IndexVersion[]> {
    return this.parts.store.versions();
  }

  async currentVersion(): Promise<number> {
    return this.state.version;
  }

  /** Makes a new version whose keys are those of an earlier one; nothing of the history is lost. */
  async rollback(target: number): Promise<number> {
    return this.conductor.write(async () => {
      const version = await rollBack(this.state, this.parts.store, target, this.now());
      this.announce(version);
      return version;
    });
  }

  export(): Promise<Blob> {
    return this.parts.store.export();
  }

  async import(file: Blob): Promise<void> {
    await this.conductor.write(async () => {
      await this.parts.store.import(file);
      await this.held.reload();
    });
    this.announce(this.state.version);
  }

  onVersion(listener: (version: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async destroy(): Promise<void> {
    await this.conductor.write(() => this.parts.store.destroy());
    await this.close();
  }

  async close(): Promise<void> {
    this.interrupt.abort();
    await this.conductor.settled();
    this.unsubscribe();
    await this.held.dispose();
    await this.parts.store.close();
    await this.parts.dispose?.();
  }

  private perform(
    signal: AbortSignal | undefined,
    begin: (roles: Roles) => Promise<Begun | null>,
  ): AsyncIterable<EvolveEvent> {
    const leave = new AbortController();
    // Leaving the loop is a stop like any other: what has passed is kept before the loop's end.
    const channel = createChannel<EvolveEvent>(async () => {
      leave.abort();
      await work.catch(() => undefined);
    });
    const stop = AbortSignal.any(signal ? [signal, leave.signal] : [leave.signal]);
    const ready = this.parts.ready;
    const evolve = (task: () => Promise<void>) =>
      ready ? ready(stop).then(() => this.conductor.evolve(task)) : this.conductor.evolve(task);
    const work = evolve(async () => {
      const made = await this.parts.makeRoles(this.state);
      const roles = { ...made, judge: withFaithfulnessCache(made.judge, this.parts.store.answers) };
      const begun = await begin(roles);
      if (!begun) return;
      await runEvolution(begun.run, begun.resumed, {
        store: this.parts.store,
        state: this.state,
        roles,
        emit: (event) => channel.push(event),
        stop,
        interrupt: this.interrupt.signal,
        clock: this.parts.clock ?? (() => performance.now()),
        now: () => this.now(),
        onCommit: async (version) => {
          await this.held.forgetPast();
          this.announce(version);
          await this.conductor.catchUp();
        },
      });
    });
    work.then(
      () => channel.close(),
      (error: unknown) => channel.close(error),
    );
    return channel;
  }

  private keyTexts(): string[] {
    return [...this.state.keySets.values()].flatMap((set) => textKeys(set).map((key) => key.text));
  }

  private now(): number {
    return (this.parts.now ?? Date.now)();
  }

  private announce(version: number): void {
    this.parts.tabs.announce(version);
    for (const listener of this.listeners) listener(version);
  }

  /** Another tab wrote: read anew what it made, then tell. */
  private async follow(version: number): Promise<void> {
    await this.conductor.whenQuiet(() => this.catchUp());
    for (const listener of this.listeners) listener(version);
  }

  private async catchUp(): Promise<void> {
    if (!this.behind) return;
    await this.held.reload();
    this.behind = false;
  }

  private async inState<T>(
    version: number | undefined,
    signal: AbortSignal | undefined,
    work: (state: IndexState) => Promise<T>,
  ): Promise<T> {
    if (this.trouble !== undefined) {
      this.trouble = undefined;
      await this.conductor.whenQuiet(() => this.catchUp());
    }
    return this.held.use(version, signal, work);
  }
}

function unknownDocument(id: string): SelfIndexError {
  return new SelfIndexError('document-not-found', `No document with the id "${id}" is in the index.`, {
    details: { id },
  });
}

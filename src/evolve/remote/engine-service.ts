import { answerCall, answerIterable } from '../../base/rpc-calls.ts';
import { SelfIndexError } from '../../base/errors.ts';
import type { Document } from '../../corpus/types.ts';
import type { IndexEngine } from '../index-engine.ts';
import type { EmbedderSpec } from '../../embed/types.ts';
import type { EmbedderHolder } from './embedder-holder.ts';
import { openFromSpec } from './open-from-spec.ts';
import type { RoleHolder } from './role-holder.ts';
import { partsOf, StagedDocuments } from './staged-documents.ts';
import type {
  EmbeddingStatus,
  EngineSpec,
  EvolveOptions,
  IndexSettings,
  RolesChoice,
  SearchOptions,
} from '../types.ts';

type Plain<T> = Omit<T, 'signal'>;

/** What happens of itself, as the page is told. */
export type EngineNews =
  | { readonly type: 'version'; readonly version: number }
  | { readonly type: 'embedding'; readonly status: EmbeddingStatus };

/** What the engine worker offers over comlink: `SelfIndex` with ports where signals and event streams would be. */
export class EngineService {
  private engine: IndexEngine | undefined;
  private roles: RoleHolder | undefined;
  private readonly staged = new StagedDocuments();
  private embedder: EmbedderHolder | undefined;
  private readonly unsubscribe: (() => void)[] = [];

  async open(
    spec: EngineSpec,
    embedder: MessagePort | undefined,
    generator: MessagePort | undefined,
    news: MessagePort,
  ): Promise<void> {
    if (this.engine) throw new SelfIndexError('invalid-argument', 'This engine has an index open already.');
    const opened = await openFromSpec(spec, { embedder, generator });
    this.engine = opened.engine;
    this.roles = opened.roles;
    this.embedder = opened.embedder;
    const tell = (message: EngineNews) => news.postMessage(message);
    this.unsubscribe.push(
      this.engine.onVersion((version) => tell({ type: 'version', version })),
      this.embedder?.onStatus((status) => tell({ type: 'embedding', status })) ?? (() => {}),
    );
  }

  setEmbedder(spec: EmbedderSpec, port?: MessagePort): Promise<void> {
    return answerCall(port, async ({ signal }) => {
      if (!this.opened || !this.embedder)
        throw new SelfIndexError(
          'invalid-argument',
          'This index was opened without an embedder. Close it and open it with one.',
        );
      await this.embedder.set(spec, signal);
    });
  }

  async embedding(): Promise<EmbeddingStatus> {
    return this.embedder?.status ?? {};
  }

  async setRoles(
    choice: RolesChoice,
    embedder: MessagePort | undefined,
    generator: MessagePort | undefined,
  ): Promise<void> {
    if (this.opened.evolving) {
      throw new SelfIndexError(
        'evolution-locked',
        'This index is evolving. Wait for the end or stop it before you choose other roles.',
      );
    }
    await this.roles?.choose(choice, { embedder, generator });
  }

  settings = () => this.opened.settings();
  configure = (settings: Partial<IndexSettings>) => this.opened.configure(settings);
  remove = (ids: readonly string[]) => this.opened.remove(ids);
  unfinished = () => this.opened.unfinished();
  teachings = () => this.opened.teachings();
  versions = () => this.opened.versions();
  currentVersion = () => this.opened.currentVersion();
  keys = (documentId: string, version?: number) => this.opened.keys(documentId, version);
  history = (documentId: string) => this.opened.history(documentId);
  revisions = (version: number) => this.opened.revisions(version);
  rollback = (version: number) => this.opened.rollback(version);
  export = () => this.opened.export();
  import = (file: Blob) => this.opened.import(file);
  teach = (query: string, documentId: string, rank: number) => this.opened.opened(query, documentId, rank);

  /** Documents go in and out in parts: see `RemoteIndex.documents` and `add`. */
  listDocuments = async () => this.staged.open(partsOf(await this.opened.documents()));
  nextDocuments = (transfer: number) => this.staged.shift(transfer);
  beginAdd = () => this.staged.open();
  addPart = (transfer: number, part: readonly Document[]) => this.staged.push(transfer, part);
  dropAdd = (transfer: number) => this.staged.drop(transfer);

  add(transfer: number, port?: MessagePort) {
    const documents = this.staged.take(transfer);
    return answerCall(port, ({ signal }) => this.opened.add(documents, signal));
  }

  search(text: string, options: Plain<SearchOptions>, port?: MessagePort) {
    return answerCall(port, ({ signal }) => this.opened.search(text, { ...options, signal }));
  }

  rankings(queries: readonly string[], options: Plain<SearchOptions>, port?: MessagePort) {
    return answerCall(port, ({ signal }) => this.opened.rankings(queries, { ...options, signal }));
  }

  evolve(options: Plain<EvolveOptions>, port: MessagePort) {
    return answerIterable(port, (signal) => this.opened.evolve({ ...options, signal }));
  }

  resume(port: MessagePort) {
    return answerIterable(port, (signal) => this.opened.resume(signal));
  }

  async destroy(): Promise<void> {
    for (const end of this.unsubscribe.splice(0)) end();
    await this.opened.destroy();
    this.engine = undefined;
  }

  async close(): Promise<void> {
    for (const end of this.unsubscribe.splice(0)) end();
    await this.engine?.close();
    this.engine = undefined;
  }

  private get opened(): IndexEngine {
    if (!this.engine) throw new SelfIndexError('storage-closed', 'The index is closed: open it again.');
    return this.engine;
  }
}

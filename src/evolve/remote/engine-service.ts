import { answerCall, answerIterable } from '../../base/rpc-calls.ts';
import { SelfIndexError } from '../../base/errors.ts';
import type { Document } from '../../corpus/types.ts';
import type { IndexEngine } from '../index-engine.ts';
import { openFromSpec } from './open-from-spec.ts';
import type { RoleHolder } from './role-holder.ts';
import { partsOf, StagedDocuments } from './staged-documents.ts';
import type { EngineSpec, EvolveOptions, IndexSettings, RolesChoice, SearchOptions } from '../types.ts';

type Plain<T> = Omit<T, 'signal'>;

/** What the engine worker offers over comlink: `SelfIndex` with ports where signals and event streams would be. */
export class EngineService {
  private engine: IndexEngine | undefined;
  private roles: RoleHolder | undefined;
  private unsubscribe: (() => void) | undefined;
  private readonly staged = new StagedDocuments();

  async open(
    spec: EngineSpec,
    embedder: MessagePort | undefined,
    generator: MessagePort | undefined,
    news: MessagePort,
  ): Promise<void> {
    if (this.engine) throw new SelfIndexError('invalid-argument', 'This engine has an index open already.');
    const { engine, roles } = await openFromSpec(spec, { embedder, generator });
    this.engine = engine;
    this.roles = roles;
    this.unsubscribe = this.engine.onVersion((version) => news.postMessage(version));
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
    this.unsubscribe?.();
    await this.opened.destroy();
    this.engine = undefined;
  }

  async close(): Promise<void> {
    this.unsubscribe?.();
    await this.engine?.close();
    this.engine = undefined;
  }

  private get opened(): IndexEngine {
    if (!this.engine) throw new SelfIndexError('storage-closed', 'The index is closed: open it again.');
    return this.engine;
  }
}

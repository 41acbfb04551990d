import type { Connection } from '../../base/rpc.ts';
import { callRemote, iterateRemote } from '../../base/rpc-calls.ts';
import { generatorPlace, parseRolesSpec } from '../../roles/spec.ts';
import type { Document } from '../../corpus/types.ts';
import type {
  ConnectedIndex,
  EmbeddingStatus,
  EvolveEvent,
  EvolveOptions,
  IndexSettings,
  RolesChoice,
  SearchOptions,
} from '../types.ts';
import type { EmbedderSpec } from '../../embed/types.ts';
import type { EngineNews, EngineService } from './engine-service.ts';
import { partsOf } from './staged-documents.ts';
import { startModels, type ModelWorkers, type WorkerFactory } from './model-workers.ts';

/** An index on this side of a worker boundary. */
export class RemoteIndex implements ConnectedIndex {
  private readonly listeners = new Set<(version: number) => void>();
  private readonly embeddingListeners = new Set<(status: EmbeddingStatus) => void>();

  constructor(
    readonly name: string,
    private readonly connection: Connection<EngineService>,
    private readonly news: MessagePort,
    /** Those that the spec asked for. */
    private readonly models: ModelWorkers,
    private readonly workers: WorkerFactory,
  ) {
    news.onmessage = ({ data }: MessageEvent<EngineNews>) => {
      if (data.type === 'version') for (const listener of this.listeners) listener(data.version);
      else for (const listener of this.embeddingListeners) listener(data.status);
    };
  }

  /** Those of the roles that were chosen since. */
  private chosen: ModelWorkers | undefined;

  private get remote() {
    return this.connection.remote;
  }

  async setRoles(choice: RolesChoice): Promise<void> {
    const wanted = {
      embedder: choice.embedder !== undefined,
      generator: generatorPlace(parseRolesSpec(choice.roles)),
    };
    const next = startModels(this.workers, wanted);
    try {
      await this.remote.setRoles(choice, next.ports.embedder, next.ports.generator);
    } catch (error) {
      next.terminate();
      throw error;
    }
    this.chosen?.terminate();
    this.chosen = next;
  }

  setEmbedder(spec: EmbedderSpec, signal?: AbortSignal): Promise<void> {
    return callRemote({ signal }, (port) => this.remote.setEmbedder(spec, port));
  }

  embedding = () => this.remote.embedding();

  onEmbedding(listener: (status: EmbeddingStatus) => void): () => void {
    this.embeddingListeners.add(listener);
    return () => this.embeddingListeners.delete(listener);
  }

  settings = () => this.remote.settings();
  configure = (settings: Partial<IndexSettings>) => this.remote.configure(settings);
  remove = (ids: readonly string[]) => this.remote.remove(ids);
  unfinished = () => this.remote.unfinished();
  teachings = () => this.remote.teachings();
  versions = () => this.remote.versions();
  currentVersion = () => this.remote.currentVersion();
  keys = (documentId: string, version?: number) => this.remote.keys(documentId, version);
  history = (documentId: string) => this.remote.history(documentId);
  revisions = (version: number) => this.remote.revisions(version);
  rollback = (version: number) => this.remote.rollback(version);
  export = () => this.remote.export();
  import = (file: Blob) => this.remote.import(file);
  opened = (query: string, documentId: string, rank: number) => this.remote.teach(query, documentId, rank);

  async documents(): Promise<Document[]> {
    const transfer = await this.remote.listDocuments();
    const documents: Document[] = [];
    for (;;) {
      const part = await this.remote.nextDocuments(transfer);
      if (!part) return documents;
      for (const document of part) documents.push(document);
    }
  }

  /** What is sent in parts is added at once, all of it or nothing. */
  async add(documents: readonly Document[], signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const transfer = await this.remote.beginAdd();
    try {
      for (const part of partsOf(documents)) {
        signal?.throwIfAborted();
        await this.remote.addPart(transfer, part);
      }
    } catch (error) {
      await this.remote.dropAdd(transfer);
      throw error;
    }
    await callRemote({ signal }, (port) => this.remote.add(transfer, port));
  }

  search(text: string, { signal, ...options }: SearchOptions = {}) {
    return callRemote({ signal }, (port) => this.remote.search(text, options, port));
  }

  rankings(queries: readonly string[], { signal, ...options }: SearchOptions = {}) {
    return callRemote({ signal }, (port) => this.remote.rankings(queries, options, port));
  }

  evolve({ signal, ...options }: EvolveOptions = {}): AsyncIterable<EvolveEvent> {
    return iterateRemote((port) => this.remote.evolve(options, port), signal);
  }

  resume(signal?: AbortSignal): AsyncIterable<EvolveEvent> {
    return iterateRemote((port) => this.remote.resume(port), signal);
  }

  onVersion(listener: (version: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async destroy(): Promise<void> {
    await this.remote.destroy();
    this.end();
  }

  async close(): Promise<void> {
    await this.remote.close();
    this.end();
  }

  private end(): void {
    this.news.close();
    this.connection.terminate();
    this.models.terminate();
    this.chosen?.terminate();
  }
}

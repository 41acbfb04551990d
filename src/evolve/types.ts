import type { JsonValue } from '../base/json.ts';
import type { Document, Snippet } from '../corpus/types.ts';
import type {
  DeviceReport,
  EmbedderSpec,
  Fingerprint,
  StaticSpec,
  TransformersSpec,
} from '../embed/types.ts';
import type {
  Diagnosis,
  EvolutionQuery,
  IndexKey,
  IndexVersion,
  IterationSummary,
  KeyRecord,
  Revision,
  Stage,
  Usage,
  Verdict,
} from '../keys/types.ts';
import type { Aggregate, DocumentHit, RetrieverKind } from '../retrieve/types.ts';

export interface IndexSettings {
  readonly retriever: RetrieverKind;
  /** Default {blend: .5, boost: .2}. */
  readonly aggregate: Aggregate;
  /** Most text keys per document, the original included. Default 10. */
  readonly keyBudget: number;
  /** K: keys retrieved per query during evolution, and the bound of specificity. Default 30. */
  readonly depth: number;
}

export interface Budget {
  readonly calls?: number;
  /** Input and output together. */
  readonly tokens?: number;
  readonly minutes?: number;
}

export interface EvolveOptions {
  /** Default 1. */
  readonly iterations?: number;
  /** Queries per iteration. Default 128. */
  readonly batch?: number;
  /** External queries instead of simulated ones. Observed queries not yet used always come first. */
  readonly queries?: readonly EvolutionQuery[];
  /** Default 'gain'. */
  readonly order?: 'paper' | 'gain';
  readonly budget?: Budget;
  /** Default 0. */
  readonly seed?: number;
  /**
   * Held-out simulated queries measured after each iteration; a drop of mean nDCG@10 beyond `tolerance` is reported,
   * and undone when `rollback` is true. Default {queries: 64, tolerance: .005, rollback: true}; false turns it off.
   */
  readonly guard?:
    false | { readonly queries?: number; readonly tolerance?: number; readonly rollback?: boolean };
  /** Drop kept keys that fail although no new key passes. Default false (the paper's gate). */
  readonly prune?: boolean;
  /** Compute every criterion for every key, for analysis. Default false: cheap criteria first, the judge last. */
  readonly fullVerdicts?: boolean;
  /** Keep the expansion keys of design.md §5 up to date. Default true. */
  readonly expansion?: boolean;
  readonly signal?: AbortSignal;
}

/** Progress of an evolution, in order. Plain data. */
export type EvolveEvent =
  | {
      readonly type: 'started';
      readonly runId: string;
      readonly resumed: boolean;
      readonly iterations: number;
      /** Ids of the four roles, and the size of their batches. */
      readonly roles: { readonly [role: string]: JsonValue };
    }
  | { readonly type: 'stage'; readonly iteration: number; readonly stage: Stage }
  | {
      readonly type: 'progress';
      readonly iteration: number;
      readonly stage: Stage;
      readonly done: number;
      readonly total: number;
      readonly usage: Usage;
      readonly secondsLeft: number | null;
    }
  | {
      readonly type: 'document';
      readonly iteration: number;
      readonly documentId: string;
      readonly title?: string;
      readonly diagnosis: Diagnosis | null;
      readonly verdicts: readonly Verdict[];
      readonly accepted: boolean;
      readonly skipped?: string;
    }
  | {
      readonly type: 'iteration';
      readonly iteration: number;
      readonly version: number;
      readonly summary: IterationSummary;
    }
  | {
      readonly type: 'finished';
      readonly runId: string;
      readonly version: number;
      readonly stoppedBy?: IterationSummary['stoppedBy'];
    };

export interface SearchOptions {
  readonly limit?: number;
  /** As the index was in that version. Default: now. */
  readonly version?: number;
  readonly signal?: AbortSignal;
}

export interface SearchResult extends DocumentHit {
  readonly document: Document;
  readonly snippet: Snippet;
  /** The text key that scored best: what matched, and where it came from. */
  readonly key: IndexKey;
}

export interface KeyHistory {
  readonly records: readonly KeyRecord[];
  readonly revisions: readonly Revision[];
}

/** What a click on a low result did. */
export interface Teaching {
  readonly query: EvolutionQuery;
  readonly revision: Revision;
  /** The version that it made; null when the gate refused. */
  readonly version: number | null;
}

/** One index, open. `openIndex` makes one in this thread, `connectEngine` one in the engine worker; both behave alike. */
export interface SelfIndex {
  readonly name: string;
  settings(): Promise<IndexSettings>;
  configure(settings: Partial<IndexSettings>): Promise<void>;
  add(documents: readonly Document[], signal?: AbortSignal): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  documents(): Promise<Document[]>;
  search(text: string, options?: SearchOptions): Promise<SearchResult[]>;
  /** Many rankings at once, without snippets: what measuring needs. Not recorded. */
  rankings(queries: readonly string[], options?: SearchOptions): Promise<DocumentHit[][]>;
  evolve(options?: EvolveOptions): AsyncIterable<EvolveEvent>;
  /** Goes on with the run that a closed tab interrupted; yields nothing where there is none. */
  resume(signal?: AbortSignal): AsyncIterable<EvolveEvent>;
  unfinished(): Promise<{ readonly runId: string; readonly iterations: number; readonly of: number } | null>;
  /** Tells that a result was opened. A result from rank ≥ 4 becomes a proposal (teaching by clicks). */
  opened(query: string, documentId: string, rank: number): Promise<Teaching | null>;
  teachings(): Promise<Teaching[]>;
  keys(documentId: string, version?: number): Promise<IndexKey[]>;
  history(documentId: string): Promise<KeyHistory>;
  revisions(version: number): Promise<Revision[]>;
  versions(): Promise<IndexVersion[]>;
  currentVersion(): Promise<number>;
  rollback(version: number): Promise<number>;
  export(): Promise<Blob>;
  import(file: Blob): Promise<void>;
  /** Called when another tab, or this one, made a new version. Returns the unsubscriber. */
  onVersion(listener: (version: number) => void): () => void;
  /** Deletes everything. */
  destroy(): Promise<void>;
  close(): Promise<void>;
}

export type { TransformersSpec };

/** Who plays the roles of the evolutions to come, as plain data: see `EngineSpec`. */
export interface RolesChoice extends Pick<
  EngineSpec,
  'roles' | 'judge' | 'generator' | 'prompts' | 'apiKey'
> {
  /** An embedder that judges. Default: the retriever's, where it has one. */
  readonly embedder?: EmbedderSpec;
}

/** Whose vectors answer searches, and whose are on their way. Plain data. */
export interface EmbeddingStatus {
  /** Absent where searches go by words alone. */
  readonly answering?: Fingerprint;
  /** Where that model runs, for one that has a choice. */
  readonly device?: DeviceReport;
  /** The model that will take over; `done` and `total` are bytes while it loads, texts while it embeds. */
  readonly coming?: {
    readonly model: string;
    readonly stage: 'loading' | 'embedding';
    readonly done: number;
    readonly total: number;
  };
  /** Why a model did not take over. */
  readonly failed?: { readonly model: string; readonly code: string; readonly message: string };
}

/** An index in workers of its own, whose roles and embedder may change while it is open. */
export interface ConnectedIndex extends SelfIndex {
  /**
   * Searches with another embedder, once it is loaded and has embedded every key; until then the one before answers. What was
   * embedded before an abort, or before the tab was killed, is kept. A later call takes the place of one that is under way.
   * @throws SelfIndexError `invalid-argument` for an index that was opened without an embedder, and what loading and embedding throw.
   *   The signal's reason after an abort
   */
  setEmbedder(spec: EmbedderSpec, signal?: AbortSignal): Promise<void>;
  embedding(): Promise<EmbeddingStatus>;
  /** Called on every change: progress, a model that takes over or fails to, another device. Returns the unsubscriber. */
  onEmbedding(listener: (status: EmbeddingStatus) => void): () => void;
  /**
   * Models are loaded, and an endpoint is asked, by the next evolution and not before.
   * @throws SelfIndexError `invalid-argument`; `evolution-locked` while it evolves
   */
  setRoles(choice: RolesChoice): Promise<void>;
}

/** Everything that the engine worker needs to open an index, as plain data. */
export interface EngineSpec {
  readonly name: string;
  readonly store: 'indexeddb' | 'memory';
  readonly settings?: Partial<IndexSettings>;
  /**
   * Needed for `dense` and `hybrid`. Where another one answered when the index was last open, that one answers until this one has
   * embedded every key.
   */
  readonly embedder?: EmbedderSpec;
  /**
   * Static embeddings that answer while the embedder is loading, and while it embeds many new documents (32 or more at once). Their vectors
   * are not kept. Evolution waits for the embedder.
   */
  readonly instant?: StaticSpec;
  /** `extractive`, `transformers:MODEL`, `wllama:FILE`, `webllm:ID`, `prompt-api` or `openai:URL#MODEL`. */
  readonly roles: string;
  /**
   * Who judges keys and searches: `rules`, `embedder`, `prompted` (or `model`: the roles' own model, asked for 0–3), `claims`
   * (the same model, claim by claim), `roundtrip` (another retriever must find the document: dense where BM25 evolves, BM25
   * where dense does), or several joined by `+`, of which the lowest score counts. Default: rules for `extractive`; for a model
   * of promptStyle compact the embedder where there is one, else rules; else the model.
   * @throws SelfIndexError `invalid-argument`, on opening, for one that needs what the spec does not have
   */
  readonly judge?: string;
  readonly generator?: Omit<TransformersSpec, 'model'>;
  /**
   * How a language model is asked: `full` fills nested schemas, `compact` writes plain lines. Default: what the catalogue says of
   * the model; of others run here, what a short self-test says; `full` for `openai:`.
   */
  readonly prompts?: 'full' | 'compact';
  /** For `openai:` endpoints that want one. Kept in memory only. */
  readonly apiKey?: string;
}

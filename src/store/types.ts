import type { AnswerCache } from '../backbone/types.ts';
import type { JsonValue } from '../base/json.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision, Usage } from '../keys/types.ts';

/** One evolution: what is needed to go on after a killed tab. */
export interface RunRecord {
  readonly id: string;
  readonly startedAt: number;
  /** Everything that decides the result: seed, options, ids of roles and retriever. */
  readonly config: { readonly [key: string]: JsonValue };
  readonly status: 'running' | 'finished' | 'stopped' | 'failed';
  /** Iterations committed so far. */
  readonly iterations: number;
  /** Version at which the next iteration starts. */
  readonly version: number;
}

/** The batch of an iteration, saved when it is complete. */
export interface RunBatch {
  readonly runId: string;
  readonly iteration: number;
  readonly queries: readonly EvolutionQuery[];
  readonly heldOut: readonly EvolutionQuery[];
  readonly usage: Usage;
}

/** One finished group of documents of a running iteration (the journal). */
export interface JournalEntry {
  readonly runId: string;
  readonly iteration: number;
  readonly group: number;
  readonly revisions: readonly Revision[];
  readonly usage: { readonly [stage: string]: Usage };
  /** Work time that was spent on it, for budgets in minutes. */
  readonly milliseconds: number;
}

/** Everything that one commit changes; applied in one transaction or not at all. */
export interface Commit {
  readonly version: IndexVersion;
  /** Records that are born in this version (born = version, died = null). */
  readonly born: readonly KeyRecord[];
  /** Ids of living keys that die in it. */
  readonly died: readonly string[];
  readonly revisions: readonly Revision[];
  readonly queries: readonly EvolutionQuery[];
  /** Also written; its journal of the committed iteration is cleared. */
  readonly run?: RunRecord;
}

/** Vectors of one space by content hash of the embedded text, in packed chunks. */
export interface VectorStore {
  /** Per text hash its vector, or undefined. */
  get(space: string, hashes: readonly string[]): Promise<(Float32Array | undefined)[]>;
  put(
    space: string,
    entries: readonly { readonly hash: string; readonly vector: Float32Array }[],
  ): Promise<void>;
}

/**
 * The store of one index (design.md §8). Every method is atomic. `IndexedDbStore` and `MemoryStore` pass one test suite.
 */
export interface IndexStore {
  readonly name: string;
  readonly answers: AnswerCache;
  readonly vectors: VectorStore;

  documents(): Promise<Document[]>;
  /** Adds or replaces, with the original keys; the generated keys of a replaced document whose text changed die with it. */
  putDocuments(documents: readonly Document[]): Promise<void>;
  /** Removes documents with their keys and revisions. */
  removeDocuments(ids: readonly string[]): Promise<void>;

  /** Every record, dead ones included; original keys are derived from documents and not stored. */
  keys(): Promise<KeyRecord[]>;
  versions(): Promise<IndexVersion[]>;
  currentVersion(): Promise<number>;
  commit(commit: Commit): Promise<void>;

  revisions(filter?: { documentId?: string; version?: number; runId?: string }): Promise<Revision[]>;
  /** Records turns that changed nothing, outside a commit (a click that the gate refused). */
  putRevisions(revisions: readonly Revision[]): Promise<void>;
  /** Queries already used for optimisation (those of every commit), in order of use. */
  queries(): Promise<EvolutionQuery[]>;
  /** Adds observed queries that are not yet used: searches that a person made and what they opened. */
  putQueries(queries: readonly EvolutionQuery[]): Promise<void>;
  /** Observed queries that no commit has used yet, oldest first. A commit that lists one by id takes it out of here. */
  pendingQueries(): Promise<EvolutionQuery[]>;

  run(id: string): Promise<RunRecord | undefined>;
  /** The run that was interrupted, if any. */
  unfinishedRun(): Promise<RunRecord | undefined>;
  putRun(run: RunRecord): Promise<void>;
  batch(runId: string, iteration: number): Promise<RunBatch | undefined>;
  putBatch(batch: RunBatch): Promise<void>;
  journal(runId: string, iteration: number): Promise<JournalEntry[]>;
  putJournal(entry: JournalEntry): Promise<void>;

  setting(name: string): Promise<JsonValue | undefined>;
  putSetting(name: string, value: JsonValue): Promise<void>;

  /** One file with everything but vectors and model answers unless asked for. */
  export(options?: { vectors?: boolean; answers?: boolean }): Promise<Blob>;
  /** Replaces the whole content, or throws and leaves it as it was. */
  import(file: Blob): Promise<void>;
  /** Bytes used, as near as the platform tells. */
  close(): Promise<void>;
  /** Deletes everything. */
  destroy(): Promise<void>;
}

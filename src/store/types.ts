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
  /** The guard's queries: made with the first batch, kept for all iterations of the run. */
  readonly heldOut?: readonly EvolutionQuery[];
}

/** The batch of an iteration, saved when it is complete. */
export interface RunBatch {
  readonly runId: string;
  readonly iteration: number;
  /** The version of the index that it was made for. */
  readonly version: number;
  readonly queries: readonly EvolutionQuery[];
  readonly heldOut: readonly EvolutionQuery[];
  readonly usage: Usage;
}

/** One finished group of documents of a running iteration (the journal). */
export interface JournalEntry {
  readonly runId: string;
  readonly iteration: number;
  /** The version of the index that it was worked out on. */
  readonly version: number;
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

/**
 * Vectors of one space by content hash of the embedded text, in packed chunks. A vector is never replaced: what is put under
 * a known hash is passed over.
 */
export interface VectorStore {
  /** Per text hash its vector, or undefined. */
  get(space: string, hashes: readonly string[]): Promise<(Float32Array | undefined)[]>;
  /** @throws `invalid-argument` where vectors hold NaN or infinities or differ in length from the space's. */
  put(
    space: string,
    entries: readonly { readonly hash: string; readonly vector: Float32Array }[],
  ): Promise<void>;
}

/**
 * The store of one index (design.md §8). Every method is atomic: it takes place whole or not at all. What is given and
 * what is returned is copied. The IndexedDB store and the memory store pass one test suite.
 *
 * Errors: `invalid-argument` where a record is not of its type's shape (the message says which field), holds what JSON
 * cannot, or nests deeper than 64 levels; `storage-closed` after `close` or `destroy`; of IndexedDB also
 * `storage-quota`, `storage-blocked`, `storage-newer` and `storage-failed`.
 */
export interface IndexStore {
  readonly name: string;
  readonly answers: AnswerCache;
  readonly vectors: VectorStore;

  /** By id. */
  documents(): Promise<Document[]>;
  /**
   * Adds or replaces. No version is made and documents have none: a version says which keys a document has, whatever the
   * document now says. So a document whose original key changes (its title or its text) starts afresh under its id: its
   * keys, generated and expansion, were made for and judged against a text that is no more, and they are withdrawn from
   * every version. Their records stay, for the history, with an empty lifetime (died = born); revisions stay. Hence
   * every version can be reconstructed at any time, and no rollback brings back a key that was never judged against the
   * text that the document has. A document that keeps title and text keeps its keys.
   * @throws `invalid-argument` where an id is given twice.
   */
  putDocuments(documents: readonly Document[]): Promise<void>;
  /** Removes documents with every trace of their keys and revisions, in all versions. Unknown ids are passed over. */
  removeDocuments(ids: readonly string[]): Promise<void>;

  /** Every record, dead and withdrawn ones included, by id, then birth; original keys are derived from documents and not stored. */
  keys(): Promise<KeyRecord[]>;
  /** From version 0, which a new store already has. */
  versions(): Promise<IndexVersion[]>;
  currentVersion(): Promise<number>;
  /**
   * Makes a version. Also clears the journal and the batches of `version.runId` up to `version.iteration`.
   * @throws `version-conflict` where it was made for another state of the index (`version` is not the current one + 1, a
   *   dying key does not live, a born one does, a revision that changed something is already stored), `document-not-found` where a key or a
   *   revision belongs to no document.
   */
  commit(commit: Commit): Promise<void>;

  /** In the order in which they were stored. */
  revisions(filter?: { documentId?: string; version?: number; runId?: string }): Promise<Revision[]>;
  /**
   * Records turns that changed nothing, outside a commit (a click that the gate refused). One that is stored under the same
   * id and changed nothing either is replaced, here and in `commit`.
   * @throws as `commit` does for its revisions.
   */
  putRevisions(revisions: readonly Revision[]): Promise<void>;
  /** Queries already used for optimisation (those of every commit), in order of first use. */
  queries(): Promise<EvolutionQuery[]>;
  /**
   * Adds observed queries that are not yet used: searches that a person made and what they opened. One that is pending
   * under its id is replaced, one that was used stays used.
   */
  putQueries(queries: readonly EvolutionQuery[]): Promise<void>;
  /** Observed queries that no commit has used yet, oldest first. A commit that lists one by id takes it out of here. */
  pendingQueries(): Promise<EvolutionQuery[]>;

  run(id: string): Promise<RunRecord | undefined>;
  /** The run that was interrupted, if any: the one of status `running` that started last. */
  unfinishedRun(): Promise<RunRecord | undefined>;
  /** Adds or replaces. A run that no longer runs needs no journal: its batches and journal are cleared (also in `commit`). */
  putRun(run: RunRecord): Promise<void>;
  batch(runId: string, iteration: number): Promise<RunBatch | undefined>;
  putBatch(batch: RunBatch): Promise<void>;
  /** By group. */
  journal(runId: string, iteration: number): Promise<JournalEntry[]>;
  putJournal(entry: JournalEntry): Promise<void>;

  setting(name: string): Promise<JsonValue | undefined>;
  putSetting(name: string, value: JsonValue): Promise<void>;

  /** One file (format: file-format.ts) with everything but vectors and model answers unless asked for. */
  export(options?: { vectors?: boolean; answers?: boolean }): Promise<Blob>;
  /**
   * Replaces the whole content, vectors and answers included, or throws and leaves it as it was.
   * @throws `import-unsupported` where it is no such file or of a later format, `import-corrupt` where it is damaged.
   */
  import(file: Blob): Promise<void>;
  /** Ends the use of this object; the data stay. */
  close(): Promise<void>;
  /** Deletes everything and closes. */
  destroy(): Promise<void>;
}

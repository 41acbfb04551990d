import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb';
import type { JsonValue } from '../base/json.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision } from '../keys/types.ts';
import { initialVersion } from './snapshot.ts';
import type { JournalEntry, RunBatch, RunRecord } from './types.ts';

/** All key records of one document: what a commit changes together is one record, and needs no index. */
export interface KeyRow {
  readonly documentId: string;
  /** By id, then birth. */
  readonly records: readonly KeyRecord[];
}

/** What a chunk of vectors holds; the vectors themselves are in `vectorChunks` under the same number. */
export interface VectorHead {
  readonly space: string;
  readonly chunk: number;
  readonly hashes: readonly string[];
}

/** Row-major vectors. */
export interface VectorChunk {
  readonly dimensions: number;
  readonly data: Float32Array;
}

/** One database per index. Where the key is a number that is not part of the value, it counts up: order of arrival. */
export interface Schema extends DBSchema {
  documents: { key: string; value: Document };
  keys: { key: string; value: KeyRow };
  versions: { key: number; value: IndexVersion };
  revisions: {
    key: number;
    value: Revision;
    indexes: { id: string; document: string; version: number; run: string };
  };
  queries: { key: number; value: EvolutionQuery; indexes: { id: string } };
  pendingQueries: { key: number; value: EvolutionQuery; indexes: { id: string } };
  runs: { key: string; value: RunRecord };
  batches: { key: [string, number]; value: RunBatch };
  journal: { key: [string, number, number]; value: JournalEntry };
  settings: { key: string; value: JsonValue };
  /** By hash. */
  answers: { key: string; value: unknown };
  vectorHeads: { key: [string, number]; value: VectorHead };
  vectorChunks: { key: number; value: VectorChunk };
}

export type StoreName = StoreNames<Schema>;
export type Mode = 'readonly' | 'readwrite';
export type Transaction<M extends IDBTransactionMode> = IDBPTransaction<Schema, StoreName[], M>;

/** Changes the schema by one version, within the upgrade's transaction. */
export type Migration = (database: IDBPDatabase<Schema>, transaction: Transaction<'versionchange'>) => void;

/** `migrations[n]` leads from schema version n to n + 1. Those of a release are never changed again: add the next one. */
export const migrations: readonly Migration[] = [
  function create(database, transaction) {
    database.createObjectStore('documents', { keyPath: 'id' });
    database.createObjectStore('keys', { keyPath: 'documentId' });
    database.createObjectStore('versions', { keyPath: 'version' });
    const revisions = database.createObjectStore('revisions', { autoIncrement: true });
    revisions.createIndex('id', 'id', { unique: true });
    revisions.createIndex('document', 'documentId');
    revisions.createIndex('version', 'version');
    revisions.createIndex('run', 'runId');
    for (const name of ['queries', 'pendingQueries'] as const) {
      database.createObjectStore(name, { autoIncrement: true }).createIndex('id', 'id', { unique: true });
    }
    database.createObjectStore('runs', { keyPath: 'id' });
    database.createObjectStore('batches', { keyPath: ['runId', 'iteration'] });
    database.createObjectStore('journal', { keyPath: ['runId', 'iteration', 'group'] });
    database.createObjectStore('settings');
    database.createObjectStore('answers');
    database.createObjectStore('vectorHeads', { keyPath: ['space', 'chunk'] });
    database.createObjectStore('vectorChunks', { autoIncrement: true });
    void transaction.objectStore('versions').add(initialVersion(Date.now()));
  },
];

export const storeNames: readonly StoreName[] = [
  'documents',
  'keys',
  'versions',
  'revisions',
  'queries',
  'pendingQueries',
  'runs',
  'batches',
  'journal',
  'settings',
  'answers',
  'vectorHeads',
  'vectorChunks',
];

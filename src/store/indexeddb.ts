import type { AnswerCache } from '../backbone/types.ts';
import type { JsonValue } from '../base/json.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision } from '../keys/types.ts';
import { checkCommit, requireUnique } from './commit-checks.ts';
import { decodeSnapshot } from './file-read.ts';
import { encodeSnapshot } from './file-write.ts';
import { Connection, type ConnectionOptions } from './indexeddb-connection.ts';
import { storeNames } from './indexeddb-schema.ts';
import { readSnapshot, replaceAll } from './indexeddb-snapshot.ts';
import { IndexedDbVectors } from './indexeddb-vectors.ts';
import * as writes from './indexeddb-writes.ts';
import { requireName } from './names.ts';
import { batch, document, journalEntry, query, requireShape, revision, run } from './records.ts';
import { latestRunning } from './rules.ts';
import { list, nonEmptyString, presentJson, string } from './shape.ts';
import type { Commit, IndexStore, JournalEntry, RunBatch, RunRecord, VectorStore } from './types.ts';

/**
 * Opens the store of an index, or makes it: one database, named `self-index/` and the name.
 * @throws SelfIndexError `invalid-argument`, `storage-newer`, `storage-blocked`, `storage-failed`.
 */
export async function openIndexedDbStore(name: string, options?: ConnectionOptions): Promise<IndexStore> {
  requireName(name);
  const connection = new Connection(name, options);
  await connection.open();
  return new IndexedDbStore(connection);
}

/**
 * What must survive a power failure is written with strict durability; caches and the journal, which only save work,
 * survive a killed tab.
 */
class IndexedDbStore implements IndexStore {
  readonly name: string;
  readonly answers: AnswerCache;
  readonly vectors: VectorStore;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.name = connection.name;
    this.#connection = connection;
    this.answers = answersOf(connection);
    this.vectors = new IndexedDbVectors(connection);
  }

  documents(): Promise<Document[]> {
    return this.#connection.run(['documents'], 'readonly', (tx) => tx.objectStore('documents').getAll());
  }

  async putDocuments(documents: readonly Document[]): Promise<void> {
    requireShape('documents', list(document), documents);
    requireUnique('documents', idsOf(documents));
    await this.#connection.run(
      ['documents', 'keys'],
      'readwrite',
      (tx) => writes.putDocuments(tx, documents),
      'strict',
    );
  }

  async removeDocuments(ids: readonly string[]): Promise<void> {
    requireShape('ids', list(string), ids);
    await this.#connection.run(
      ['documents', 'keys', 'revisions'],
      'readwrite',
      (tx) => writes.removeDocuments(tx, ids),
      'strict',
    );
  }

  async keys(): Promise<KeyRecord[]> {
    const rows = await this.#connection.run(['keys'], 'readonly', (tx) => tx.objectStore('keys').getAll());
    return rows.flatMap(({ records }) => records);
  }

  versions(): Promise<IndexVersion[]> {
    return this.#connection.run(['versions'], 'readonly', (tx) => tx.objectStore('versions').getAll());
  }

  currentVersion(): Promise<number> {
    return this.#connection.run(['versions'], 'readonly', writes.currentVersion);
  }

  async commit(commit: Commit): Promise<void> {
    await checkCommit(commit);
    await this.#connection.run(
      [
        'documents',
        'keys',
        'versions',
        'revisions',
        'queries',
        'pendingQueries',
        'runs',
        'batches',
        'journal',
      ],
      'readwrite',
      (tx) => writes.applyCommit(tx, commit),
      'strict',
    );
  }

  revisions(filter: writes.RevisionFilter = {}): Promise<Revision[]> {
    return this.#connection.run(['revisions'], 'readonly', (tx) => writes.revisionsWhere(tx, filter));
  }

  async putRevisions(revisions: readonly Revision[]): Promise<void> {
    requireShape('revisions', list(revision), revisions);
    requireUnique('revisions', idsOf(revisions));
    await this.#connection.run(
      ['documents', 'revisions'],
      'readwrite',
      (tx) => writes.putRevisions(tx, revisions),
      'strict',
    );
  }

  queries(): Promise<EvolutionQuery[]> {
    return this.#connection.run(['queries'], 'readonly', (tx) => tx.objectStore('queries').getAll());
  }

  async putQueries(queries: readonly EvolutionQuery[]): Promise<void> {
    requireShape('queries', list(query), queries);
    await this.#connection.run(['queries', 'pendingQueries'], 'readwrite', (tx) =>
      writes.putPending(tx, queries),
    );
  }

  pendingQueries(): Promise<EvolutionQuery[]> {
    return this.#connection.run(['pendingQueries'], 'readonly', (tx) =>
      tx.objectStore('pendingQueries').getAll(),
    );
  }

  run(id: string): Promise<RunRecord | undefined> {
    return this.#connection.run(['runs'], 'readonly', (tx) => tx.objectStore('runs').get(id));
  }

  async unfinishedRun(): Promise<RunRecord | undefined> {
    return latestRunning(
      await this.#connection.run(['runs'], 'readonly', (tx) => tx.objectStore('runs').getAll()),
    );
  }

  async putRun(given: RunRecord): Promise<void> {
    requireShape('run', run, given);
    await this.#connection.run(
      ['runs', 'batches', 'journal'],
      'readwrite',
      (tx) => writes.putRun(tx, given),
      'strict',
    );
  }

  batch(runId: string, iteration: number): Promise<RunBatch | undefined> {
    return this.#connection.run(['batches'], 'readonly', (tx) =>
      tx.objectStore('batches').get([runId, iteration]),
    );
  }

  async putBatch(given: RunBatch): Promise<void> {
    requireShape('batch', batch, given);
    await this.#connection.run(['batches'], 'readwrite', (tx) => tx.objectStore('batches').put(given));
  }

  journal(runId: string, iteration: number): Promise<JournalEntry[]> {
    // an array sorts after every number: all groups
    const groups = IDBKeyRange.bound([runId, iteration], [runId, iteration, []]);
    return this.#connection.run(['journal'], 'readonly', (tx) => tx.objectStore('journal').getAll(groups));
  }

  async putJournal(entry: JournalEntry): Promise<void> {
    requireShape('journal entry', journalEntry, entry);
    await this.#connection.run(['journal'], 'readwrite', (tx) => tx.objectStore('journal').put(entry));
  }

  setting(name: string): Promise<JsonValue | undefined> {
    return this.#connection.run(['settings'], 'readonly', (tx) => tx.objectStore('settings').get(name));
  }

  async putSetting(name: string, value: JsonValue): Promise<void> {
    requireShape('name of the setting', nonEmptyString, name);
    requireShape(`setting ${name}`, presentJson, value);
    await this.#connection.run(
      ['settings'],
      'readwrite',
      (tx) => tx.objectStore('settings').put(value, name),
      'strict',
    );
  }

  async export(options: { vectors?: boolean; answers?: boolean } = {}): Promise<Blob> {
    return encodeSnapshot(
      await this.#connection.run(storeNames, 'readonly', (tx) => readSnapshot(tx, options)),
    );
  }

  async import(file: Blob): Promise<void> {
    const next = await decodeSnapshot(file);
    await this.#connection.run(storeNames, 'readwrite', (tx) => replaceAll(tx, next), 'strict');
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  destroy(): Promise<void> {
    return this.#connection.destroy();
  }
}

function answersOf(connection: Connection): AnswerCache {
  return {
    get: (hashes) =>
      connection.run(['answers'], 'readonly', (tx) => {
        const store = tx.objectStore('answers');
        return Promise.all(hashes.map((hash) => store.get(hash)));
      }),
    async put(entries) {
      for (const { hash, answer } of entries) requireShape(`answer ${hash}`, presentJson, answer);
      await connection.run(['answers'], 'readwrite', async (tx) => {
        const store = tx.objectStore('answers');
        await Promise.all(entries.map(({ hash, answer }) => store.put(answer, hash)));
      });
    },
  };
}

function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id);
}

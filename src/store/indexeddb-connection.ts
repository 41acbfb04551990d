import { deleteDB, openDB, type IDBPDatabase } from 'idb';
import type { SelfIndexError } from '../base/errors.ts';
import { blockedError, deletedError, isLostConnection, lostError, storageError } from './indexeddb-errors.ts';
import {
  migrations as allMigrations,
  type Migration,
  type Mode,
  type Schema,
  type StoreName,
  type Transaction,
} from './indexeddb-schema.ts';
import { closedError, qualifiedName } from './names.ts';

export interface ConnectionOptions {
  /** How long another tab may hold up an upgrade or a deletion, in milliseconds. Default 5,000. */
  readonly patience?: number;
  /** Default: those of this release. */
  readonly migrations?: readonly Migration[];
}

/** What a transaction's work may wait for: its own requests, nothing else, or the transaction ends under it. */
export type Work<T, M extends Mode> = (transaction: Transaction<M>) => Promise<T>;

/**
 * One index's database. Gives way to other tabs that upgrade or delete it, and opens again when the browser has closed it:
 * a transaction or an opening that failed for that reason is tried once more.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #database: Promise<IDBPDatabase<Schema>> | null = null;
  #current: IDBPDatabase<Schema> | null = null;
  #ended: SelfIndexError | null = null;
  #wasOpen = false;

  constructor(
    readonly name: string,
    options: ConnectionOptions = {},
  ) {
    this.#options = options;
  }

  /** Resolves when the transaction has completed; otherwise it has left no trace. */
  async run<T, M extends Mode>(
    stores: readonly StoreName[],
    mode: M,
    work: Work<T, M>,
    durability: 'strict' | 'relaxed' = 'relaxed',
  ): Promise<T> {
    for (let again = true; ; again = false) {
      let database: IDBPDatabase<Schema> | undefined;
      try {
        database = await this.open();
        return await inTransaction(database.transaction([...stores], mode, { durability }), work);
      } catch (error) {
        if (database === undefined || !isLostConnection(error) || !again)
          throw await storageError(this.name, error);
        this.#drop(database);
      }
    }
  }

  open(): Promise<IDBPDatabase<Schema>> {
    if (this.#ended) return Promise.reject(this.#ended);
    this.#database ??= this.#connect()
      .catch((error: SelfIndexError) => {
        // What ends a connection may end the opening of the next one too: while a browser clears its data, for instance.
        if (isLostConnection(error.cause)) return this.#connect();
        throw error;
      })
      .catch((error: unknown) => {
        this.#database = null;
        throw error;
      });
    return this.#database;
  }

  async close(): Promise<void> {
    this.#ended ??= closedError(this.name);
    const database = await this.#database?.catch(() => null);
    if (database) this.#drop(database);
  }

  async destroy(): Promise<void> {
    await this.close();
    const deleting = (blocked: () => void) => deleteDB(qualifiedName(this.name), { blocked });
    try {
      await this.#patiently(deleting, 'deleted');
    } catch (error) {
      throw await storageError(this.name, error);
    }
  }

  async #connect(): Promise<IDBPDatabase<Schema>> {
    const { migrations = allMigrations } = this.#options;
    let failure: unknown;
    let database: IDBPDatabase<Schema> | undefined;
    const giveWay = () => database && this.#drop(database);
    const opening = (blocked: () => void) =>
      openDB<Schema>(qualifiedName(this.name), migrations.length, {
        upgrade: (upgrading, from, _to, transaction) => {
          transaction.done.catch(() => undefined);
          try {
            if (from === 0 && this.#wasOpen) throw lostError(this.name);
            for (const migrate of migrations.slice(from)) migrate(upgrading, transaction);
          } catch (error) {
            failure = error;
            transaction.abort();
          }
        },
        blocked,
        blocking: (_current, next) => {
          if (next === null) this.#ended ??= deletedError(this.name);
          giveWay();
        },
        terminated: giveWay,
      });
    try {
      database = await this.#patiently(opening, 'opened', (late) => late.close());
    } catch (error) {
      throw await storageError(this.name, failure ?? error);
    }
    this.#current = database;
    this.#wasOpen = true;
    return database;
  }

  #drop(database: IDBPDatabase<Schema>): void {
    database.close();
    if (this.#current !== database) return;
    this.#current = null;
    this.#database = null;
  }

  /** Waits for as long as it takes, but only `patience` where other tabs are in the way. */
  #patiently<T>(
    start: (blocked: () => void) => Promise<T>,
    what: 'opened' | 'deleted',
    late?: (result: T) => void,
  ): Promise<T> {
    const { patience = 5000 } = this.#options;
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let gaveUp = false;
      const work = start(() => {
        timer = setTimeout(() => {
          gaveUp = true;
          reject(blockedError(this.name, what));
        }, patience);
      });
      work.then(
        (result) => {
          clearTimeout(timer);
          if (gaveUp) late?.(result);
          else resolve(result);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}

async function inTransaction<T, M extends Mode>(transaction: Transaction<M>, work: Work<T, M>): Promise<T> {
  const done = transaction.done;
  done.catch(() => undefined);
  try {
    const result = await work(transaction);
    await done;
    return result;
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // it has ended already
    }
    await done.catch(() => undefined);
    throw transaction.error ?? error;
  }
}

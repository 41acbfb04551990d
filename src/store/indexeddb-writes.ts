import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, KeyRecord, Revision } from '../keys/types.ts';
import { checkCommitFits, checkRevisionsFit } from './commit-checks.ts';
import { documentIdOf } from '../keys/key-id.ts';
import type { KeyRow, Mode, Transaction } from './indexeddb-schema.ts';
import {
  compareRecords,
  finishedByCommit,
  finishedByRun,
  startsAfresh,
  withdrawn,
  type Finished,
} from './rules.ts';
import type { Commit, RunRecord } from './types.ts';

/** The work of the store's methods, each within one transaction: they wait for nothing but its requests. */

type Writing = Transaction<'readwrite'>;

/** Above so many, one request for everything is quicker. */
const fewRequests = 1000;
/** Rows written between two turns of the event loop: some milliseconds. */
const copiedAtOnce = 200;

interface StoredRevisions {
  readonly places: ReadonlyMap<string, number>;
  /** Those that changed something: they are never replaced. */
  readonly lasting: ReadonlySet<string>;
}

export interface RevisionFilter {
  readonly documentId?: string;
  readonly version?: number;
  readonly runId?: string;
}

/** Records gathered by document. */
export function rowsOf(records: readonly KeyRecord[]): KeyRow[] {
  const rows = new Map<string, KeyRecord[]>();
  for (const record of records) {
    const siblings = rows.get(record.documentId);
    if (siblings) siblings.push(record);
    else rows.set(record.documentId, [record]);
  }
  return [...rows].map(([documentId, own]) => ({ documentId, records: own.sort(compareRecords) }));
}

export async function currentVersion(transaction: Transaction<Mode>): Promise<number> {
  const cursor = await transaction.objectStore('versions').openKeyCursor(null, 'prev');
  return cursor?.key ?? 0;
}

export async function putDocuments(transaction: Writing, given: readonly Document[]): Promise<void> {
  const documents = transaction.objectStore('documents');
  const keys = transaction.objectStore('keys');
  const before = await getMany(
    documents,
    given.map(({ id }) => id),
    ({ id }) => id,
  );
  const afresh = given.filter((next) => {
    const old = before.get(next.id);
    return old !== undefined && startsAfresh(old, next);
  });
  const rows = await Promise.all(afresh.map(({ id }) => keys.get(id)));
  await Promise.all([
    ...given.map((item) => documents.put(item)),
    ...rows
      .filter((row) => row !== undefined)
      .map(({ documentId, records }) => keys.put({ documentId, records: records.map(withdrawn) })),
  ]);
}

export async function removeDocuments(transaction: Writing, ids: readonly string[]): Promise<void> {
  const documents = transaction.objectStore('documents');
  const keys = transaction.objectStore('keys');
  const revisions = transaction.objectStore('revisions');
  await Promise.all(
    ids.map(async (id) => {
      const [turns] = await Promise.all([
        revisions.index('document').getAllKeys(id),
        documents.delete(id),
        keys.delete(id),
      ]);
      await Promise.all(turns.map((key) => revisions.delete(key)));
    }),
  );
}

export async function applyCommit(transaction: Writing, commit: Commit): Promise<void> {
  const keys = transaction.objectStore('keys');
  const touched = [...commit.born.map((key) => key.documentId), ...commit.died.map(documentIdOf)];
  const rows = await getMany(keys, touched, ({ documentId }) => documentId);
  const living = new Set<string>();
  for (const { records } of rows.values()) {
    for (const record of records) if (record.died === null) living.add(record.id);
  }
  const stored = await storedRevisions(transaction, commit.revisions);
  checkCommitFits(commit, {
    currentVersion: await currentVersion(transaction),
    living,
    documents: await knownDocuments(transaction, [...commit.born, ...commit.revisions]),
    revisions: stored.lasting,
  });

  const { version: died } = commit.version;
  const dying = new Set(commit.died);
  const kept = [...rows.values()].flatMap(({ records }) =>
    records.map((record) => (record.died === null && dying.has(record.id) ? { ...record, died } : record)),
  );
  const rowsAfter = rowsOf([...kept, ...commit.born]);
  // Copying thousands of rows in one go would keep this thread from answering searches.
  for (let i = 0; i < rowsAfter.length; i += copiedAtOnce)
    await Promise.all(rowsAfter.slice(i, i + copiedAtOnce).map((row) => keys.put(row)));
  await Promise.all([
    transaction.objectStore('versions').add(commit.version),
    ...putAll(transaction, commit.revisions, stored),
    ...firstOfEach(commit.queries).map((query) => useQuery(transaction, query)),
  ]);
  if (commit.run) await transaction.objectStore('runs').put(commit.run);
  await clearFinished(transaction, finishedByCommit(commit));
}

export async function putRevisions(transaction: Writing, revisions: readonly Revision[]): Promise<void> {
  const stored = await storedRevisions(transaction, revisions);
  checkRevisionsFit(revisions, {
    documents: await knownDocuments(transaction, revisions),
    revisions: stored.lasting,
  });
  await Promise.all(putAll(transaction, revisions, stored));
}

export async function revisionsWhere(
  transaction: Transaction<Mode>,
  filter: RevisionFilter,
): Promise<Revision[]> {
  const { documentId, version, runId } = filter;
  const revisions = transaction.objectStore('revisions');
  const found = await (documentId !== undefined
    ? revisions.index('document').getAll(documentId)
    : version !== undefined
      ? revisions.index('version').getAll(version)
      : runId !== undefined
        ? revisions.index('run').getAll(runId)
        : revisions.getAll());
  return found.filter(
    (item) =>
      (version === undefined || item.version === version) && (runId === undefined || item.runId === runId),
  );
}

export async function putPending(transaction: Writing, given: readonly EvolutionQuery[]): Promise<void> {
  const pending = transaction.objectStore('pendingQueries');
  const used = transaction.objectStore('queries');
  for (const query of given) {
    if ((await used.index('id').getKey(query.id)) !== undefined) continue;
    await pending.put(query, await pending.index('id').getKey(query.id));
  }
}

export async function putRun(transaction: Writing, run: RunRecord): Promise<void> {
  await transaction.objectStore('runs').put(run);
  await clearFinished(transaction, finishedByRun(run));
}

function firstOfEach(queries: readonly EvolutionQuery[]): EvolutionQuery[] {
  const seen = new Set<string>();
  return queries.filter(({ id }) => !seen.has(id) && seen.add(id));
}

async function useQuery(transaction: Writing, query: EvolutionQuery): Promise<void> {
  const pending = transaction.objectStore('pendingQueries');
  const used = transaction.objectStore('queries');
  const [waiting, known] = await Promise.all([
    pending.index('id').getKey(query.id),
    used.index('id').getKey(query.id),
  ]);
  if (waiting !== undefined) await pending.delete(waiting);
  if (known === undefined) await used.add(query);
}

function putAll(
  transaction: Writing,
  revisions: readonly Revision[],
  { places }: StoredRevisions,
): Promise<number>[] {
  const store = transaction.objectStore('revisions');
  return revisions.map((revision) => store.put(revision, places.get(revision.id)));
}

async function clearFinished(transaction: Writing, finished: readonly Finished[]): Promise<void> {
  for (const { runId, through } of finished) {
    await transaction.objectStore('batches').delete(IDBKeyRange.bound([runId, 0], [runId, through]));
    // an array sorts after every number: all groups of the last iteration
    await transaction.objectStore('journal').delete(IDBKeyRange.bound([runId, 0], [runId, through, []]));
  }
}

async function knownDocuments(
  transaction: Transaction<Mode>,
  items: readonly { readonly documentId: string }[],
): Promise<Set<string>> {
  const documents = transaction.objectStore('documents');
  const ids = [...new Set(items.map((item) => item.documentId))];
  if (ids.length > fewRequests) return new Set(await documents.getAllKeys());
  return new Set(await keepIf(ids, async (id) => (await documents.getKey(id)) !== undefined));
}

/** Those of the values under these keys that exist: one by one where they are few, all at once where they are many. */
async function getMany<T>(
  store: { get(key: string): Promise<T | undefined>; getAll(): Promise<T[]> },
  keys: readonly string[],
  keyOf: (value: T) => string,
): Promise<Map<string, T>> {
  const wanted = new Set(keys);
  const found =
    wanted.size > fewRequests
      ? (await store.getAll()).filter((value) => wanted.has(keyOf(value)))
      : await Promise.all([...wanted].map((key) => store.get(key)));
  return new Map(found.filter((value) => value !== undefined).map((value) => [keyOf(value), value]));
}

/** Which of the revisions are stored already, with their places. */
async function storedRevisions(
  transaction: Transaction<Mode>,
  revisions: readonly Revision[],
): Promise<StoredRevisions> {
  const store = transaction.objectStore('revisions');
  const places = new Map<string, number>();
  const lasting = new Set<string>();
  await Promise.all(
    revisions.map(async ({ id }) => {
      const place = await store.index('id').getKey(id);
      if (place === undefined) return;
      places.set(id, place);
      if ((await store.get(place))?.version !== null) lasting.add(id);
    }),
  );
  return { places, lasting };
}

async function keepIf<T>(items: readonly T[], condition: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(condition));
  return items.filter((_, i) => kept[i]);
}

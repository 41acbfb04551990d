import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, KeyRecord, Revision } from '../keys/types.ts';
import { checkCommitFits, checkRevisionsFit } from './commit-checks.ts';
import type { KeyRow, Mode, Transaction } from './indexeddb-schema.ts';
import { finishedByCommit, finishedByRun, startsAfresh, withdrawn, type Finished } from './rules.ts';
import type { Commit, RunRecord } from './types.ts';

/** The work of the store's methods, each within one transaction: they wait for nothing but its requests. */

type Writing = Transaction<'readwrite'>;

export interface RevisionFilter {
  readonly documentId?: string;
  readonly version?: number;
  readonly runId?: string;
}

export function rowOf(record: KeyRecord): KeyRow {
  return record.died === null ? { ...record, living: record.id } : record;
}

export function recordOf({ living: _living, ...record }: KeyRow): KeyRecord {
  return record;
}

export async function currentVersion(transaction: Transaction<Mode>): Promise<number> {
  const cursor = await transaction.objectStore('versions').openKeyCursor(null, 'prev');
  return cursor?.key ?? 0;
}

export async function putDocuments(transaction: Writing, given: readonly Document[]): Promise<void> {
  const documents = transaction.objectStore('documents');
  const keys = transaction.objectStore('keys');
  const known = new Set(await documents.getAllKeys());
  const afresh = await keepIf(
    given.filter(({ id }) => known.has(id)),
    async (next) => {
      const before = await documents.get(next.id);
      return before !== undefined && startsAfresh(before, next);
    },
  );
  const rows = await Promise.all(afresh.map(({ id }) => keys.index('document').getAll(id)));
  await Promise.all([
    ...given.map((item) => documents.put(item)),
    ...rows.flat().map((row) => keys.put(withdrawn(recordOf(row)))),
  ]);
}

export async function removeDocuments(transaction: Writing, ids: readonly string[]): Promise<void> {
  const documents = transaction.objectStore('documents');
  const keys = transaction.objectStore('keys');
  const revisions = transaction.objectStore('revisions');
  await Promise.all(
    ids.map(async (id) => {
      const [keyIds, revisionIds] = await Promise.all([
        keys.index('document').getAllKeys(id),
        revisions.index('document').getAllKeys(id),
        documents.delete(id),
      ]);
      await Promise.all([
        ...keyIds.map((key) => keys.delete(key)),
        ...revisionIds.map((key) => revisions.delete(key)),
      ]);
    }),
  );
}

export async function applyCommit(transaction: Writing, commit: Commit): Promise<void> {
  const keys = transaction.objectStore('keys');
  const named = [...new Set([...commit.died, ...commit.born.map(({ id }) => id)])];
  const rows = await Promise.all(named.map((id) => keys.index('living').get(id)));
  const living = new Map(rows.filter((row) => row !== undefined).map((row) => [row.id, row]));
  checkCommitFits(commit, {
    currentVersion: await currentVersion(transaction),
    living: new Set(living.keys()),
    documents: await knownDocuments(transaction, [...commit.born, ...commit.revisions]),
    revisions: await knownRevisions(transaction, commit.revisions),
  });

  const { version: died } = commit.version;
  const dying = commit.died.flatMap((id) => living.get(id) ?? []);
  await Promise.all(dying.map((row) => keys.put({ ...recordOf(row), died })));
  await Promise.all([
    ...commit.born.map((record) => keys.add(rowOf(record))),
    transaction.objectStore('versions').add(commit.version),
    ...addRevisions(transaction, commit.revisions),
    ...commit.queries.map((query) => useQuery(transaction, query)),
  ]);
  if (commit.run) await transaction.objectStore('runs').put(commit.run);
  await clearFinished(transaction, finishedByCommit(commit));
}

export async function putRevisions(transaction: Writing, revisions: readonly Revision[]): Promise<void> {
  checkRevisionsFit(revisions, {
    documents: await knownDocuments(transaction, revisions),
    revisions: await knownRevisions(transaction, revisions),
  });
  await Promise.all(addRevisions(transaction, revisions));
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

function addRevisions(transaction: Writing, revisions: readonly Revision[]): Promise<number>[] {
  const store = transaction.objectStore('revisions');
  return revisions.map((revision) => store.add(revision));
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
  return new Set(await keepIf(ids, async (id) => (await documents.getKey(id)) !== undefined));
}

async function knownRevisions(
  transaction: Transaction<Mode>,
  revisions: readonly Revision[],
): Promise<Set<string>> {
  const index = transaction.objectStore('revisions').index('id');
  const ids = revisions.map(({ id }) => id);
  return new Set(await keepIf(ids, async (id) => (await index.getKey(id)) !== undefined));
}

async function keepIf<T>(items: readonly T[], condition: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(condition));
  return items.filter((_, i) => kept[i]);
}

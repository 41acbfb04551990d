import type { JsonValue } from '../base/json.ts';
import { compareIds } from '../base/order.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision } from '../keys/types.ts';
import { checkCommit, checkCommitFits, checkRevisionsFit, requireUnique } from './commit-checks.ts';
import { decodeSnapshot } from './file-read.ts';
import { encodeSnapshot } from './file-write.ts';
import { MemoryVectors } from './memory-vectors.ts';
import { closedError, requireName } from './names.ts';
import { batch, document, journalEntry, query, requireShape, revision, run } from './records.ts';
import {
  compareRecords,
  finishedByCommit,
  finishedByRun,
  latestRunning,
  startsAfresh,
  withdrawn,
  type Finished,
} from './rules.ts';
import { list, nonEmptyString, presentJson, string } from './shape.ts';
import { initialVersion, type Snapshot } from './snapshot.ts';
import type { IndexStore, JournalEntry, RunBatch, RunRecord } from './types.ts';

/**
 * A store that lives as long as this object. Each method does its work in one turn of the event loop, all checks before
 * the first change: so it is atomic.
 */
export function createMemoryStore(name: string): IndexStore {
  requireName(name);
  const documents = new Map<string, Document>();
  let keys: KeyRecord[] = [];
  const versions: IndexVersion[] = [initialVersion(Date.now())];
  const revisions = new Map<string, Revision>();
  const queries = new Map<string, EvolutionQuery>();
  const pending = new Map<string, EvolutionQuery>();
  const runs = new Map<string, RunRecord>();
  const batches = new Map<string, RunBatch>();
  const journal = new Map<string, JournalEntry>();
  const settings = new Map<string, JsonValue>();
  const answers = new Map<string, unknown>();
  const vectors = new MemoryVectors();
  let open = true;

  /** One atomic step: a copy of what it returns, so that nobody holds a part of the store. */
  async function step<T>(work: () => T): Promise<T> {
    if (!open) throw closedError(name);
    return structuredClone(work());
  }

  const currentVersion = () => versions.length - 1;
  const living = () => new Set(keys.filter((key) => key.died === null).map((key) => key.id));
  const context = () => ({
    currentVersion: currentVersion(),
    living: living(),
    documents: new Set(documents.keys()),
    revisions: new Set([...revisions.values()].filter((item) => item.version !== null).map(({ id }) => id)),
  });

  function clearFinished(finished: readonly Finished[]): void {
    const over = (item: { runId: string; iteration: number }) =>
      finished.some(({ runId, through }) => item.runId === runId && item.iteration <= through);
    for (const [key, item] of batches) if (over(item)) batches.delete(key);
    for (const [key, item] of journal) if (over(item)) journal.delete(key);
  }

  function snapshot(options: { vectors?: boolean; answers?: boolean }): Snapshot {
    return {
      documents: sorted(documents),
      keys: [...keys].sort(compareRecords),
      versions,
      revisions: [...revisions.values()],
      queries: [...queries.values()],
      pendingQueries: [...pending.values()],
      runs: sorted(runs),
      batches: [...batches.values()].sort(byIteration),
      journal: [...journal.values()].sort((a, b) => byIteration(a, b) || a.group - b.group),
      settings: [...settings].map(([name, value]) => ({ name, value })).sort(byName),
      answers: options.answers
        ? [...answers].map(([hash, answer]) => ({ hash, answer })).sort((a, b) => compareIds(a.hash, b.hash))
        : [],
      vectors: options.vectors ? vectors.blocks() : [],
    };
  }

  function replace(next: Snapshot): void {
    refill(documents, next.documents, (item) => item.id);
    keys = [...next.keys];
    versions.splice(0, versions.length, ...next.versions);
    refill(revisions, next.revisions, (item) => item.id);
    refill(queries, next.queries, (item) => item.id);
    refill(pending, next.pendingQueries, (item) => item.id);
    refill(runs, next.runs, (item) => item.id);
    refill(batches, next.batches, batchKey);
    refill(journal, next.journal, journalKey);
    settings.clear();
    for (const item of next.settings) settings.set(item.name, item.value);
    answers.clear();
    for (const item of next.answers) answers.set(item.hash, item.answer);
    vectors.replace(next.vectors);
  }

  return {
    name,
    answers: {
      get: (hashes) => step(() => hashes.map((hash) => answers.get(hash))),
      put: (entries) =>
        step(() => {
          for (const { hash, answer } of entries) requireShape(`answer ${hash}`, presentJson, answer);
          for (const { hash, answer } of structuredClone(entries)) answers.set(hash, answer);
        }),
    },
    vectors: {
      get: (space, hashes) => step(() => vectors.get(space, hashes)),
      put: (space, entries) => step(() => vectors.put(space, entries)),
    },

    documents: () => step(() => sorted(documents)),
    putDocuments: (given) =>
      step(() => {
        requireShape('documents', list(document), given);
        requireUnique(
          'documents',
          given.map((item) => item.id),
        );
        const afresh = new Set<string>();
        for (const next of structuredClone(given)) {
          const before = documents.get(next.id);
          if (before && startsAfresh(before, next)) afresh.add(next.id);
          documents.set(next.id, next);
        }
        keys = keys.map((key) => (afresh.has(key.documentId) ? withdrawn(key) : key));
      }),
    removeDocuments: (ids) =>
      step(() => {
        requireShape('ids', list(string), ids);
        const gone = new Set(ids);
        for (const id of gone) documents.delete(id);
        keys = keys.filter((key) => !gone.has(key.documentId));
        for (const [id, item] of revisions) if (gone.has(item.documentId)) revisions.delete(id);
      }),

    keys: () => step(() => [...keys].sort(compareRecords)),
    versions: () => step(() => versions),
    currentVersion: () => step(currentVersion),
    commit: async (given) => {
      await checkCommit(given);
      return step(() => {
        checkCommitFits(given, context());
        const commit = structuredClone(given);
        const dying = new Set(commit.died);
        const died = commit.version.version;
        keys = keys.map((key) => (key.died === null && dying.has(key.id) ? { ...key, died } : key));
        keys = keys.concat(commit.born);
        versions.push(commit.version);
        for (const item of commit.revisions) revisions.set(item.id, item);
        for (const item of commit.queries) {
          pending.delete(item.id);
          if (!queries.has(item.id)) queries.set(item.id, item);
        }
        if (commit.run) runs.set(commit.run.id, commit.run);
        clearFinished(finishedByCommit(commit));
      });
    },

    revisions: (filter = {}) =>
      step(() =>
        [...revisions.values()].filter(
          (item) =>
            (filter.documentId === undefined || item.documentId === filter.documentId) &&
            (filter.version === undefined || item.version === filter.version) &&
            (filter.runId === undefined || item.runId === filter.runId),
        ),
      ),
    putRevisions: (given) =>
      step(() => {
        requireShape('revisions', list(revision), given);
        requireUnique(
          'revisions',
          given.map((item) => item.id),
        );
        checkRevisionsFit(given, context());
        for (const item of structuredClone(given)) revisions.set(item.id, item);
      }),
    queries: () => step(() => [...queries.values()]),
    putQueries: (given) =>
      step(() => {
        requireShape('queries', list(query), given);
        for (const item of structuredClone(given)) if (!queries.has(item.id)) pending.set(item.id, item);
      }),
    pendingQueries: () => step(() => [...pending.values()]),

    run: (id) => step(() => runs.get(id)),
    unfinishedRun: () => step(() => latestRunning(sorted(runs))),
    putRun: (given) =>
      step(() => {
        requireShape('run', run, given);
        runs.set(given.id, structuredClone(given));
        clearFinished(finishedByRun(given));
      }),
    batch: (runId, iteration) => step(() => batches.get(batchKey({ runId, iteration }))),
    putBatch: (given) =>
      step(() => {
        requireShape('batch', batch, given);
        batches.set(batchKey(given), structuredClone(given));
      }),
    journal: (runId, iteration) =>
      step(() =>
        [...journal.values()]
          .filter((entry) => entry.runId === runId && entry.iteration === iteration)
          .sort((a, b) => a.group - b.group),
      ),
    putJournal: (entry) =>
      step(() => {
        requireShape('journal entry', journalEntry, entry);
        journal.set(journalKey(entry), structuredClone(entry));
      }),

    setting: (key) => step(() => settings.get(key)),
    putSetting: (key, value) =>
      step(() => {
        requireShape('name of the setting', nonEmptyString, key);
        requireShape(`setting ${key}`, presentJson, value);
        settings.set(key, structuredClone(value));
      }),

    export: async (options = {}) => encodeSnapshot(await step(() => snapshot(options))),
    import: async (file) => {
      const next = await decodeSnapshot(file);
      await step(() => replace(next));
    },
    close: async () => {
      open = false;
    },
    destroy: async () => {
      open = false;
    },
  };
}

const batchKey = (item: { runId: string; iteration: number }) => JSON.stringify([item.runId, item.iteration]);

const journalKey = (item: JournalEntry) => JSON.stringify([item.runId, item.iteration, item.group]);

const byName = (a: { name: string }, b: { name: string }) => compareIds(a.name, b.name);

const byIteration = (a: RunBatch | JournalEntry, b: RunBatch | JournalEntry) =>
  compareIds(a.runId, b.runId) || a.iteration - b.iteration;

function sorted<T>(items: ReadonlyMap<string, T>): T[] {
  return [...items].sort(([a], [b]) => compareIds(a, b)).map(([, item]) => item);
}

function refill<T>(into: Map<string, T>, items: readonly T[], id: (item: T) => string): void {
  into.clear();
  for (const item of items) into.set(id(item), item);
}

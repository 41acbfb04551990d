import { isAlive } from '../keys/lifetimes.ts';
import { keyId } from '../keys/key-id.ts';
import type { KeyRecord } from '../keys/types.ts';
import { corrupt } from './file-format.ts';
import { compareRecords } from './rules.ts';
import type { Snapshot, VectorBlock } from './snapshot.ts';
import { allFinite } from './vector-checks.ts';

/**
 * Do the records of a snapshot fit together: unique ids, versions without gaps, keys and revisions of documents that exist,
 * lifetimes within the versions, no key alive twice at once, vectors of one length per space.
 * @throws SelfIndexError `import-corrupt`.
 */
export function checkSnapshot(snapshot: Snapshot): void {
  const documents = uniqueIds('document', snapshot.documents, (item) => item.id);
  checkVersions(snapshot);
  const current = snapshot.versions.length - 1;
  for (const key of snapshot.keys) checkKey(key, documents, current);
  checkLifetimes(snapshot.keys);

  uniqueIds('revision', snapshot.revisions, (item) => item.id);
  for (const { id, documentId, version } of snapshot.revisions) {
    if (!documents.has(documentId)) throw corrupt(`revision ${id} belongs to no document`);
    if (version !== null && version > current) throw corrupt(`revision ${id} belongs to no version`);
  }
  uniqueIds('query', [...snapshot.queries, ...snapshot.pendingQueries], (item) => item.id);
  uniqueIds('run', snapshot.runs, (item) => item.id);
  uniqueIds('batch', snapshot.batches, (item) => JSON.stringify([item.runId, item.iteration]));
  uniqueIds('journal entry', snapshot.journal, (item) =>
    JSON.stringify([item.runId, item.iteration, item.group]),
  );
  uniqueIds('setting', snapshot.settings, (item) => item.name);
  uniqueIds('answer', snapshot.answers, (item) => item.hash);
  checkVectors(snapshot.vectors);
}

function checkVersions({ versions }: Snapshot): void {
  if (versions.length === 0) throw corrupt('it has no versions');
  versions.forEach(({ version, parent, kind, restores }, place) => {
    const initial = place === 0;
    const lineage = initial ? parent === null : parent !== null && parent < version;
    const restored = restores === undefined || restores < version;
    if (version !== place || initial !== (kind === 'initial') || !lineage || !restored) {
      throw corrupt(`version ${version} does not follow from those before it`);
    }
  });
}

function checkKey(key: KeyRecord, documents: ReadonlySet<string>, current: number): void {
  const { id, documentId, kind, text, born, died } = key;
  if (!documents.has(documentId)) throw corrupt(`key ${id} belongs to no document`);
  if (id !== keyId(documentId, kind, text)) throw corrupt(`the id of key ${id} is not that of its text`);
  if (born < 1 || born > current || (died !== null && (died < born || died > current))) {
    throw corrupt(`the lifetime of key ${id} does not fit the versions`);
  }
}

function checkLifetimes(keys: readonly KeyRecord[]): void {
  const sorted = [...keys].sort(compareRecords);
  for (let i = 1; i < sorted.length; i++) {
    const [before, after] = [sorted[i - 1], sorted[i]];
    if (before.id === after.id && (before.born === after.born || isAlive(before, after.born))) {
      throw corrupt(`key ${after.id} lives twice at once`);
    }
  }
}

function checkVectors(blocks: readonly VectorBlock[]): void {
  const spaces = new Map<string, number>();
  const seen = new Set<string>();
  for (const { space, dimensions, hashes, data } of blocks) {
    if (dimensions === 0 || (spaces.get(space) ?? dimensions) !== dimensions) {
      throw corrupt(`vectors of the space ${space} differ in length`);
    }
    spaces.set(space, dimensions);
    if (!allFinite(data)) throw corrupt(`a vector of the space ${space} holds NaN or an infinity`);
    for (const hash of hashes) {
      const name = JSON.stringify([space, hash]);
      if (seen.has(name)) throw corrupt(`the space ${space} holds vector ${hash} twice`);
      seen.add(name);
    }
  }
}

function uniqueIds<T>(what: string, items: readonly T[], id: (item: T) => string): Set<string> {
  const seen = new Set<string>();
  for (const item of items) {
    const name = id(item);
    if (seen.has(name)) throw corrupt(`${what} ${name} occurs twice`);
    seen.add(name);
  }
  return seen;
}

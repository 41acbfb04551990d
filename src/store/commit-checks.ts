import { SelfIndexError } from '../base/errors.ts';
import { createPacer } from '../base/pacer.ts';
import { keyId } from '../keys/key-id.ts';
import type { Revision } from '../keys/types.ts';
import { keyRecord, query, requireShape, revision, run, version } from './records.ts';
import { list, nonEmptyString } from './shape.ts';
import type { Commit } from './types.ts';

/** What of the present state a commit has to fit. Sets hold at least those ids that the commit names. */
export interface CommitContext {
  readonly currentVersion: number;
  /** Ids of living keys. */
  readonly living: ReadonlySet<string>;
  readonly documents: ReadonlySet<string>;
  /** Ids of stored revisions that changed something. */
  readonly revisions: ReadonlySet<string>;
}

/**
 * What is wrong with a commit whatever the index holds: checked before the transaction, in slices, since an evolution brings
 * thousands of keys and every id is a hash.
 */
export async function checkCommit(commit: Commit): Promise<void> {
  requireShape('commit.version', version, commit.version);
  requireShape('commit.born', list(keyRecord), commit.born);
  requireShape('commit.died', list(nonEmptyString), commit.died);
  requireShape('commit.revisions', list(revision), commit.revisions);
  requireShape('commit.queries', list(query), commit.queries);
  if (commit.run !== undefined) requireShape('commit.run', run, commit.run);
  requireUnique(
    'commit.born',
    commit.born.map((key) => key.id),
  );
  requireUnique('commit.died', commit.died);
  requireUnique(
    'commit.revisions',
    commit.revisions.map((item) => item.id),
  );

  const { version: number, parent, restores, kind } = commit.version;
  if (kind === 'initial' || parent === null || parent >= number) {
    throw invalid(`Version ${number} needs a parent before it and a kind other than initial.`);
  }
  if (restores !== undefined && restores >= number) {
    throw invalid(`Version ${number} cannot restore version ${restores}, which does not come before it.`);
  }
  const pacer = createPacer();
  for (const { id, documentId, kind: form, text } of commit.born) {
    if (id !== keyId(documentId, form, text))
      throw invalid(`The id of key ${id} is not the one that keyId gives for its text.`);
    await pacer.pause();
  }
  const unfit = commit.born.find((key) => key.born !== number || key.died !== null);
  if (unfit) {
    throw invalid(
      `Key ${unfit.id} of the commit must be born in version ${number} and not have died; it says ${unfit.born} and ${unfit.died}.`,
    );
  }
}

/**
 * What is wrong with it in the present state of the index: checked inside the transaction.
 * @throws SelfIndexError `version-conflict`, `document-not-found`.
 */
export function checkCommitFits(commit: Commit, context: CommitContext): void {
  const { version: number } = commit.version;
  if (number !== context.currentVersion + 1) {
    throw conflict(
      `The index is at version ${context.currentVersion}, so the next one is ${context.currentVersion + 1}, not ${number}.`,
      { currentVersion: context.currentVersion, version: number },
    );
  }
  const dead = commit.died.filter((id) => !context.living.has(id));
  if (dead.length > 0) {
    throw conflict(`${dead.length} keys that the commit ends do not live, for example ${dead[0]}.`, {
      keys: dead.slice(0, 20),
    });
  }
  const dying = new Set(commit.died);
  const alive = commit.born.filter((key) => context.living.has(key.id) && !dying.has(key.id));
  if (alive.length > 0) {
    throw conflict(`${alive.length} keys that the commit adds live already, for example ${alive[0].id}.`, {
      keys: alive.slice(0, 20).map((key) => key.id),
    });
  }
  requireDocuments(
    commit.born.map((key) => key.documentId),
    context.documents,
  );
  checkRevisionsFit(commit.revisions, context);
}

/** @throws SelfIndexError `version-conflict`, `document-not-found`. */
export function checkRevisionsFit(
  revisions: readonly Revision[],
  context: Pick<CommitContext, 'documents' | 'revisions'>,
): void {
  requireDocuments(
    revisions.map((item) => item.documentId),
    context.documents,
  );
  const known = revisions.filter((item) => context.revisions.has(item.id));
  if (known.length > 0) {
    throw conflict(
      `${known.length} revisions are already stored and changed the index, for example ${known[0].id}.`,
      {
        revisions: known.slice(0, 20).map((item) => item.id),
      },
    );
  }
}

/** @throws SelfIndexError `invalid-argument` where an id occurs twice. */
export function requireUnique(what: string, ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) throw invalid(`${what} holds ${JSON.stringify(id)} twice. Give every id once.`);
    seen.add(id);
  }
}

function requireDocuments(ids: readonly string[], documents: ReadonlySet<string>): void {
  const missing = [...new Set(ids.filter((id) => !documents.has(id)))];
  if (missing.length === 0) return;
  throw new SelfIndexError(
    'document-not-found',
    `${missing.length} documents of this change are not in the index (any more), for example ${JSON.stringify(missing[0])}. Nothing was stored; leave out what belongs to them.`,
    { details: { documents: missing.slice(0, 20) } },
  );
}

function conflict(what: string, details: SelfIndexError['details']): SelfIndexError {
  return new SelfIndexError(
    'version-conflict',
    `${what} The change was made for another state of the index; nothing was stored. Read the index again and repeat it.`,
    { details },
  );
}

function invalid(message: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', message);
}

import { SelfIndexError } from '../base/errors.ts';

const longestName = 512;

/** @throws SelfIndexError `invalid-argument` for a name that cannot name a database, a lock and a channel alike. */
export function requireName(name: string): void {
  if (typeof name === 'string' && name !== '' && name.length <= longestName && name.isWellFormed()) return;
  throw new SelfIndexError(
    'invalid-argument',
    `The name of an index must be 1 to ${longestName} characters of well-formed Unicode; ${JSON.stringify(name)} is not.`,
  );
}

/** What the index is called among the databases, locks and channels of its origin. */
export function qualifiedName(name: string): string {
  requireName(name);
  return `self-index/${name}`;
}

export function closedError(name: string): SelfIndexError {
  return new SelfIndexError(
    'storage-closed',
    `The store of index ${JSON.stringify(name)} is closed. Open it again.`,
  );
}

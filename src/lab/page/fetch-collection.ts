import { SelfIndexError } from '../../base/errors.ts';
import { readCollection, type Collection } from '../collection.ts';
import { labPaths } from '../types.ts';

/** The collection that the runner serves. */
export async function fetchCollection(): Promise<Collection> {
  const fetchBytes = async (url: string) => {
    const response = await fetch(url);
    if (!response.ok)
      throw new SelfIndexError('unreadable-file', `The server has no ${url} (status ${response.status}).`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const [corpus, queries, qrels] = await Promise.all(
    [labPaths.corpus, labPaths.queries, labPaths.qrels].map(fetchBytes),
  );
  return readCollection({ corpus, queries, qrels });
}

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { SelfIndexError } from '../../base/errors.ts';

/** Where the three files of a BEIR folder are. */
export interface CollectionFolder {
  readonly name: string;
  readonly corpus: string;
  readonly queries: string;
  readonly qrels: string;
}

/** @throws `unreadable-file` naming what the folder lacks. */
export function findCollection(folder: string): CollectionFolder {
  const path = resolve(folder);
  const find = (...names: string[]) => {
    const found = names.map((name) => join(path, name)).find((candidate) => existsSync(candidate));
    if (found === undefined)
      throw new SelfIndexError(
        'unreadable-file',
        `The collection folder ${folder} holds none of ${names.join(', ')}.`,
        { details: { folder, names } },
      );
    return found;
  };
  return {
    name: basename(path),
    corpus: find('corpus.jsonl.gz', 'corpus.jsonl'),
    queries: find('queries.jsonl.gz', 'queries.jsonl'),
    qrels: find('qrels.tsv', 'qrels/test.tsv', 'qrels.tsv.gz'),
  };
}

import { SelfIndexError } from '../../base/errors.ts';
import type { GivenFile } from './gather.ts';

/** The files of one test collection in BEIR's layout, among what someone gave. */
export interface GivenCollection {
  /** Of its folder; empty where the files were given without one. */
  readonly name: string;
  readonly corpus: GivenFile;
  readonly queries: GivenFile;
  /** null: nobody judged its searches. */
  readonly qrels: GivenFile | null;
  /** Whatever else lies beside them. */
  readonly others: readonly GivenFile[];
}

/** Where judgements are looked for, in this order, as the lab does; each also with `.gz`. */
const judgementNames = ['qrels.tsv', 'qrels/test.tsv', 'test.tsv'];

/**
 * Recognises a folder in BEIR's layout: `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` or `qrels/test.tsv`, each may end in
 * `.gz`. Its searches are then measured and not indexed as if they were notes.
 * @returns null where there is none
 * @throws SelfIndexError `invalid-argument` where there are several: their ids and searches would mix
 */
export function findCollection(files: readonly GivenFile[]): GivenCollection | null {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const at = (folder: string, name: string) =>
    byPath.get(`${folder}${name}`) ?? byPath.get(`${folder}${name}.gz`);
  const found = files.flatMap((corpus): GivenCollection[] => {
    const folder = /^(.*\/)?corpus\.jsonl(\.gz)?$/.exec(corpus.path)?.[1] ?? '';
    if (at(folder, 'corpus.jsonl') !== corpus) return [];
    const queries = at(folder, 'queries.jsonl');
    if (!queries) return [];
    const qrels = judgementNames.map((name) => at(folder, name)).find((file) => file !== undefined) ?? null;
    const name = folder.split('/').at(-2) ?? '';
    const others = files.filter((file) => file !== corpus && file !== queries && file !== qrels);
    return [{ name, corpus, queries, qrels, others }];
  });
  if (found.length <= 1) return found[0] ?? null;
  throw new SelfIndexError(
    'invalid-argument',
    `There are ${found.length} test collections in it (${found.map(({ name }) => `“${name}”`).join(', ')}). Bring them in one at a time: their searches would mix.`,
  );
}

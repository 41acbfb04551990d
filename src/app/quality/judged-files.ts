import { SelfIndexError } from '../../base/errors.ts';
import { judgedFrom, parseJudgedSearches, type JudgedSearch } from './judged.ts';

/** Reads what a person chose: one file of judged searches, or the two of a BEIR collection (queries and qrels, gzip too). */
export async function readJudgedFiles(files: readonly File[]): Promise<JudgedSearch[]> {
  if (files.length === 1) return parseJudgedSearches(await files[0].text());
  const queries = files.find(({ name }) => /\.jsonl(\.gz)?$/i.test(name));
  const qrels = files.find(({ name }) => /\.(tsv|qrels|txt)(\.gz)?$/i.test(name));
  if (files.length !== 2 || !queries || !qrels) {
    throw new SelfIndexError(
      'invalid-argument',
      'Choose one file of judged searches, or the two of a BEIR collection: queries.jsonl and qrels.tsv.',
    );
  }
  const { readJudgements, readQueries } = await import('../../lab/collection.ts');
  const asked = await readQueries(new Uint8Array(await queries.arrayBuffer()));
  return judgedFrom(asked, await readJudgements(new Uint8Array(await qrels.arrayBuffer()), asked));
}

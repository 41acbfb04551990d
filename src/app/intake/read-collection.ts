import { gunzip } from '../../corpus/read/decode.ts';
import type { Document } from '../../corpus/types.ts';
import { readDocuments, readJudgements, readQueries } from '../../lab/collection.ts';
import { judgedFrom, type JudgedSearch } from '../quality/judged.ts';
import type { GivenCollection } from './find-collection.ts';
import type { GivenFile } from './gather.ts';
import { maxBytes, refuseLarge } from './limits.ts';

export interface ReadCollection {
  readonly documents: readonly Document[];
  /** None where the collection has no judgements. */
  readonly judged: readonly JudgedSearch[];
  /** What was left aside: sentences that name it. */
  readonly skipped: readonly string[];
}

/** Reads a collection as the lab does, so that the page measures what the lab measures. */
export async function readGivenCollection(
  { corpus, queries, qrels, others }: GivenCollection,
  signal?: AbortSignal,
): Promise<ReadCollection> {
  const documents = await readDocuments(await bytesOf(corpus), signal);
  const asked = qrels && (await readQueries(await bytesOf(queries)));
  const judged = asked && judgedFrom(asked, await readJudgements(await bytesOf(qrels), asked));
  const skipped = others.map(({ path }) => `“${path}” was left out: it is no part of the collection.`);
  if (!judged) skipped.push(`“${queries.path}” was left out: there are no judgements (qrels.tsv) of it.`);
  return { documents, judged: judged ?? [], skipped };
}

async function bytesOf({ path, file }: GivenFile): Promise<Uint8Array> {
  refuseLarge(path, file);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzip(path, bytes, maxBytes) : bytes;
}

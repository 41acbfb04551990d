import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readJudgedFiles } from '../../../src/app/quality/judged-files.ts';

const queries =
  '{"_id": "1", "text": "first"}\n{"_id": "2", "text": "second"}\n{"_id": "3", "text": "third"}\n';
const qrels = 'query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\tc\t1\n3\ta\t0\n';

describe('files of judged searches', () => {
  it('may be the two of a BEIR collection, in any order, packed or not', async () => {
    const judged = await readJudgedFiles([
      new File([qrels], 'test.tsv'),
      new File([new Uint8Array(gzipSync(queries))], 'queries.jsonl.gz'),
    ]);
    expect(judged.map(({ query, relevant }) => [query, [...relevant]])).toEqual([
      ['first', [['a', 2]]],
      ['second', [['c', 1]]],
    ]);
  });

  it('that do not belong together are refused', async () => {
    await expect(readJudgedFiles([new File([''], 'a.json'), new File([''], 'b.json')])).rejects.toThrow(
      /queries\.jsonl and qrels\.tsv/,
    );
  });
});

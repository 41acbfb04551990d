import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../../../src/evolve/open-index.ts';
import { readCollection, type Collection } from '../../../src/lab/collection.ts';
import { runExperiment } from '../../../src/lab/experiment.ts';
import { trecRunLines } from '../../../src/lab/trec-run.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import type { Roles } from '../../../src/roles/types.ts';
import { badModel } from '../evolve/bad-models.ts';
import { kitchen } from '../evolve/kitchen.ts';

const notes = {
  documents: kitchen,
  queries: kitchen.map(({ id, title }) => ({ id: `q-${id}`, text: `${title} with water and dough` })),
  qrels: new Map(kitchen.map(({ id }) => [`q-${id}`, new Map([[id, 1]])])),
};

/** What `npm run lab -- evolve --run FILE` writes, and what it reports but for the clock. */
async function run(collection: Collection, roles: Roles | undefined, seed: number) {
  const index = await openIndex('same', { roles });
  let lines = '';
  const { versions } = await runExperiment(index, collection, {
    evolve: { iterations: 2, batch: 24, seed, guard: { rollback: false } },
    limit: 1000,
    onRanking: (queryId, hits) => void (lines += trecRunLines(queryId, hits, 'self-index')),
  });
  await index.close();
  return { bytes: Buffer.from(lines), versions: versions.map((version) => ({ ...version, seconds: 0 })) };
}

const writer = () =>
  promptedRoles(
    badModel((own, random) => [
      `notes on ${own[random.integer(own.length)]} and ${own[random.integer(own.length)]}`,
      `how to use ${own.slice(0, 3).join(' ')}`,
    ]),
  );

describe('the same seed gives a byte-identical TREC run on two executions', () => {
  it.each([
    ['extractive roles', () => undefined],
    ['a model that writes', writer],
  ])('%s', async (_, roles) => {
    const [first, second] = [await run(notes, roles(), 3), await run(notes, roles(), 3)];
    const { keys, expansionKeys } = first.versions[first.versions.length - 1];
    expect(keys + expansionKeys).toBeGreaterThan(0);
    expect(first.bytes.length).toBeGreaterThan(1000);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(second.versions).toEqual(first.versions);
  });

  it('whatever the order in which a collection is given', async () => {
    const first = await run(notes, undefined, 3);
    const second = await run({ ...notes, documents: [...kitchen].reverse() }, undefined, 3);
    expect(second.bytes.equals(first.bytes)).toBe(true);
  });

  it('on a collection read from files', async () => {
    const bytes = (name: string) =>
      new Uint8Array(readFileSync(new URL(`../../fixtures/beir-tiny/${name}`, import.meta.url)));
    const collection = await readCollection({
      corpus: bytes('corpus.jsonl'),
      queries: bytes('queries.jsonl'),
      qrels: bytes('qrels.tsv'),
    });
    const [first, second] = [await run(collection, undefined, 0), await run(collection, undefined, 0)];
    expect(second.bytes.equals(first.bytes)).toBe(true);
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openIndex } from '../../../src/evolve/open-index.ts';
import { readCollection, type Collection } from '../../../src/lab/collection.ts';
import { runExperiment } from '../../../src/lab/experiment.ts';
import type { Aggregate } from '../../../src/retrieve/types.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import { badModel, badWriters } from '../evolve/bad-models.ts';
import { kitchen } from '../evolve/kitchen.ts';

/** No accepted version may be worth less than version 0 by more than this, in mean nDCG@10 of judged searches. */
const bound = 0.005;

interface Circumstances {
  /** `model`: the bad model judges its own keys, and says 3 of each. */
  readonly judge: 'rules' | 'model';
  readonly aggregate: Aggregate;
  readonly guard?: false;
  /** Bound of specificity. Default 30. */
  readonly depth?: number;
}

async function evolveBadly(
  collection: Collection,
  writer: string,
  { judge, aggregate, depth, ...guard }: Circumstances,
) {
  const model = badModel(badWriters(collection.documents)[writer]);
  const roles = promptedRoles(model, judge === 'model' ? { judge } : {});
  const index = await openIndex('bad', { roles, aggregate, depth });
  const evolve = { iterations: 2, batch: 128, expansion: false, ...guard };
  const { versions } = await runExperiment(index, collection, { evolve, limit: 100 });
  await index.close();
  const worth = versions.map(({ metrics }) => metrics['nDCG@10']);
  return { model, versions, loss: worth[0] - Math.min(...worth) };
}

const blend = { blend: 0.5, boost: 0.2 };
const circumstances: readonly (readonly [string, Circumstances])[] = [
  ['judged by rules', { judge: 'rules', aggregate: blend }],
  ['judged by rules, max', { judge: 'rules', aggregate: 'max' }],
  ['its own judge', { judge: 'model', aggregate: blend }],
  ['its own judge, max', { judge: 'model', aggregate: 'max' }],
];
const writers = Object.keys(badWriters(kitchen));
const cases = writers.flatMap((writer) =>
  circumstances.map(([name, options]) => [`${writer}, ${name}`, writer, options] as const),
);

/** What people ask of the sixteen notes, and the notes that answer. */
const asked: readonly (readonly [string, ...string[]])[] = [
  ['how do I get a thick crust', 'bread', 'pizza'],
  ['why does my dough not rise', 'yeast'],
  ['clear soup from bones', 'stock'],
  ['blade gets blunt', 'knife'],
  ['raw chicken on wood or plastic', 'board'],
  ['how much water for rice', 'rice'],
  ['soak overnight before cooking', 'beans'],
  ['soft yolk minutes', 'eggs'],
  ['rust on the pan', 'pan'],
  ['mould on soft cheese', 'cheese'],
  ['keep basil and parsley fresh', 'herbs'],
  ['can I freeze bread or salad', 'freezer'],
  ['which oil for a hot pan', 'oil', 'pan'],
  ['weigh flour in percent', 'scale'],
  ['grind finer for espresso', 'coffee'],
  ['hot oven or stone', 'bread', 'pizza'],
];
/** Of sixteen documents fewer than 30 are rivals whatever a key says: with the default, specificity would pass everything. */
const notesDepth = 4;
const notes: Collection = {
  documents: kitchen,
  queries: asked.map(([text], i) => ({ id: `q${i}`, text })),
  qrels: new Map(asked.map(([, ...ids], i) => [`q${i}`, new Map(ids.map((id) => [id, 1]))])),
};

describe('a deliberately bad model', () => {
  it.each(cases)('%s: costs the judged searches of the notes nothing', async (_, writer, options) => {
    const { model, loss } = await evolveBadly(notes, writer, { ...options, depth: notesDepth });
    expect(model.asked).toBeGreaterThan(0);
    expect(loss).toBeLessThanOrEqual(bound);
  });
});

const folder = fileURLToPath(new URL('../../../../shared/data/beaver/', import.meta.url));
const absent = !existsSync(folder);
if (absent) console.warn(`The bad models are not tried on BEAVER: ${folder} is not there.`);

describe.skipIf(absent)('a deliberately bad model on BEAVER', () => {
  const read = () => {
    const bytes = (name: string) => new Uint8Array(readFileSync(folder + name));
    return readCollection({
      corpus: bytes('corpus.jsonl.gz'),
      queries: bytes('queries.jsonl.gz'),
      qrels: bytes('qrels.tsv'),
    });
  };

  it.each(writers)(
    '%s: what its own word lets through, the guard stops',
    async (writer) => {
      const options = { judge: 'model', aggregate: 'max' } as const;
      const { versions, loss } = await evolveBadly(await read(), writer, options);
      expect(versions[0].metrics['nDCG@10']).toBeGreaterThan(0.5);
      expect(loss).toBeLessThanOrEqual(bound);
    },
    120_000,
  );

  it('would do harm without the guard: it is bad enough to be a test', async () => {
    const options = { judge: 'model', aggregate: 'max', guard: false } as const;
    const { loss } = await evolveBadly(await read(), writers[3], options);
    expect(loss).toBeGreaterThan(4 * bound);
  }, 120_000);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeExpansionKey, makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import type { Pruning } from '../../../src/retrieve/bm25/pruning.ts';
import type { Aggregate, DocumentHit } from '../../../src/retrieve/types.ts';
import { ReferenceBm25, wordAnalyser } from './reference.ts';

// Few words, so that scores tie, terms come and go, and document frequencies span the whole range.
const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', '[f]', '[a]', 'g', 'h', 'rare', 'ünï', '搜索');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const document = fc.constantFrom('d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9');

type Step =
  | { readonly do: 'document'; readonly id: string; readonly text: string }
  | { readonly do: 'generated'; readonly id: string; readonly text: string }
  | { readonly do: 'expansion'; readonly id: string; readonly text: string }
  | { readonly do: 'remove'; readonly nth: number }
  | { readonly do: 'save' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('document' as const), id: document, text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('generated' as const), id: document, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('expansion' as const), id: document, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), nth: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('save' as const) }) },
);

const aggregate: fc.Arbitrary<Aggregate> = fc.oneof(
  fc.constant('max' as const),
  fc.record({ blend: fc.double({ min: 0, max: 1, noNaN: true }), boost: fc.constantFrom(0, 0.2, 1.7) }),
);

function keyOf(step: Exclude<Step, { do: 'remove' | 'save' }>): IndexKey {
  if (step.do === 'document') return makeOriginalKey({ id: step.id, text: step.text });
  if (step.do === 'expansion')
    return makeExpansionKey(step.id, [...new Set(step.text.replace(/[[\]]/g, '').split(' '))]);
  return makeGeneratedKey(step.id, { text: step.text, form: 'text' }, { by: 'reviser' });
}

/** What `update` promises, done naively to a list of keys. */
function changesOf(keys: readonly IndexKey[], step: Exclude<Step, { do: 'save' }>) {
  if (step.do === 'remove') {
    const removed = keys.length === 0 ? [] : [keys[step.nth % keys.length]];
    return { added: [], removed };
  }
  const key = keyOf(step);
  if (
    key.kind !== 'original' &&
    !keys.some((k) => k.kind === 'original' && k.documentId === key.documentId)
  ) {
    return { added: [], removed: [] };
  }
  const replaces = (other: IndexKey) =>
    key.kind !== 'generated' &&
    other.kind === key.kind &&
    other.documentId === key.documentId &&
    other.id !== key.id;
  return { added: [key], removed: keys.filter(replaces) };
}

function applied(keys: readonly IndexKey[], { added, removed }: { added: IndexKey[]; removed: IndexKey[] }) {
  const gone = new Set(removed.map((key) => key.id));
  const here = new Set(keys.map((key) => key.id));
  const all = [...keys.filter((key) => !gone.has(key.id)), ...added.filter((key) => !here.has(key.id))];
  const alive = new Set(all.filter((key) => key.kind === 'original').map((key) => key.documentId));
  return all.filter((key) => alive.has(key.documentId));
}

/** Equal to the reference but for the last bits, which may swap neighbours of nearly equal score. */
function expectLike(
  actual: readonly { id: string; score: number }[],
  expected: readonly { id: string; score: number }[],
) {
  expect(actual.map(({ score }) => score)).toEqual(
    expected.map(({ score }) => expect.closeTo(score, 4) as number),
  );
  const scores = new Map(expected.map(({ id, score }) => [id, score]));
  for (const { id, score } of actual) expect(scores.get(id)).toBeCloseTo(score, 4);
}

const rankedOf = (hits: readonly DocumentHit[]) =>
  hits.map(({ documentId, score }) => ({ id: documentId, score }));

describe('Bm25Retriever against the reference', () => {
  it(
    'agrees after any sequence of changes, pruned or not, saved and loaded or not',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 25 }),
          fc.array(text, { minLength: 1, maxLength: 4 }),
          aggregate,
          fc.integer({ min: 0, max: 12 }),
          async (steps, queries, aggregate, limit) => {
            const make = (pruning: Pruning) =>
              Bm25Retriever.create([], { analyser: wordAnalyser, aggregate, pruning });
            const always = await make('always');
            let never = await make('never');
            let keys: IndexKey[] = [];
            for (const each of steps) {
              if (each.do === 'save') {
                const bytes = never.serialise();
                expect(always.serialise()).toEqual(bytes);
                never = Bm25Retriever.load(bytes, { analyser: wordAnalyser, aggregate, pruning: 'never' });
                continue;
              }
              const changes = changesOf(keys, each);
              await Promise.all([always.update(changes), never.update(changes)]);
              keys = applied(keys, changes);
            }
            const reference = new ReferenceBm25(keys);
            const fresh = await Bm25Retriever.create(keys, { analyser: wordAnalyser, aggregate });
            for (const query of queries) {
              const all = await never.rank(query, 100);
              expectLike(rankedOf(all), reference.rank(query, aggregate));
              expect(await always.rank(query, limit)).toEqual(all.slice(0, limit));
              expect(await fresh.rank(query, 100)).toEqual(all);

              const [keysOfQuery] = await never.topKeys([query], 1000);
              const named = keysOfQuery.map(({ keyId, score }) => ({ id: keyId, score }));
              expectLike(named, reference.topKeys(query));
              expect(await always.topKeys([query], limit)).toEqual([keysOfQuery.slice(0, limit)]);
              expect(await fresh.topKeys([query], 1000)).toEqual([keysOfQuery]);

              const pairs = keys
                .filter((key) => key.kind === 'original')
                .map(({ documentId }) => ({ query, documentId }));
              const counts = pairs.map(({ documentId }) => reference.rivals(query, documentId));
              expect([...(await always.rivals(pairs))]).toEqual(counts);
              expect([...(await never.rivals(pairs))]).toEqual(counts);
            }
          },
        ),
        { numRuns: 300 },
      );
    },
  );
});

import { expect, test } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import { openIndex, type OpenOptions } from '../../../src/evolve/open-index.ts';
import { checkRoles, needsEmbedder } from '../../../src/evolve/judge-means.ts';
import { calibrationPairs } from '../../../src/evolve/calibration-pairs.ts';
import { makeMachinery } from '../../../src/evolve/machinery.ts';
import { IndexState } from '../../../src/evolve/state.ts';
import type { EngineSpec } from '../../../src/evolve/types.ts';
import type { KeyRecord } from '../../../src/keys/types.ts';
import { parseJudgeSpec } from '../../../src/roles/judges/spec.ts';
import { wordEmbedder } from '../retrieve/word-embedder.ts';
import { kitchen } from './kitchen.ts';

const spec = (more: Partial<EngineSpec>): EngineSpec => ({
  name: 'n',
  store: 'memory',
  roles: 'extractive',
  ...more,
});
const embedder = { model: 'all-MiniLM-L6-v2' };

test.each([
  ['embedder', {}, 'bm25', 'name one in `embedder`'],
  ['prompted', {}, 'bm25', 'have none'],
  ['rules+claims', {}, 'bm25', 'have none'],
  ['roundtrip', {}, 'bm25', 'needs a second retriever'],
  ['roundtrip:bm25', { embedder }, 'bm25', 'must not search with bm25'],
  ['roundtrip:bm25', { embedder }, 'hybrid', 'must not search with bm25'],
  ['roundtrip:dense', { embedder }, 'dense', 'must not search with dense'],
  ['oracle', {}, 'bm25', 'no judge named'],
] as const)('%s with %o under %s is refused: %s', (judge, more, retriever, why) => {
  const check = () => checkRoles(spec({ judge, ...more }), retriever);
  expect(check).toThrow(expect.objectContaining({ code: 'invalid-argument' }) as Error);
  expect(check).toThrow(why);
});

test('what can be made passes, and says whether it needs an embedder', () => {
  checkRoles(spec({ judge: 'rules+embedder+roundtrip', embedder }), 'bm25');
  checkRoles(spec({ judge: 'roundtrip' }), 'dense');
  checkRoles(spec({ judge: 'roundtrip', embedder }), 'hybrid');
  checkRoles(spec({ judge: 'model+claims', roles: 'transformers:m' }), 'bm25');
  expect(needsEmbedder(parseJudgeSpec('rules+roundtrip'), 'bm25')).toBe(true);
  expect(needsEmbedder(parseJudgeSpec('rules+roundtrip'), 'dense')).toBe(false);
  expect(needsEmbedder(parseJudgeSpec('rules+claims'), 'bm25')).toBe(false);
});

async function judgeOf(options: OpenOptions, documents = kitchen): Promise<string> {
  const index = await openIndex('judged', options);
  try {
    await index.add(documents);
    for await (const event of index.evolve({ batch: 4, guard: false }))
      if (event.type === 'started') return event.roles.judge as string;
    return '';
  } finally {
    await index.close();
  }
}

test('a named judge takes the place of the roles’ own; it names the collection that it searches', async () => {
  const base = { retriever: 'bm25', embedder: wordEmbedder(), judge: 'rules+roundtrip' } as const;
  const id = await judgeOf(base);
  expect(id).toMatch(/^combined\(rules & roundtrip\(dense words [0-9a-f]{8} over [0-9a-f]{8} r=1\)\)$/);
  expect(await judgeOf({ ...base, embedder: wordEmbedder() })).toBe(id);
  expect(await judgeOf({ ...base, embedder: wordEmbedder() }, kitchen.slice(1))).not.toBe(id);
  expect(await judgeOf({ retriever: 'dense', embedder: wordEmbedder(), judge: 'roundtrip' })).toMatch(
    /^roundtrip\(bm25 over [0-9a-f]{8} r=1\)$/,
  );
});

test('a model may judge that writes nothing', async () => {
  const judgeModel = new FakeLanguageModel({ id: 'strict', answer: () => 'garbage' });
  expect(await judgeOf({ judge: 'claims', judgeModel })).toBe('claims(strict)/full');
  await expect(judgeOf({ judge: 'claims' })).rejects.toMatchObject({ code: 'invalid-argument' });
});

test('calibration does not depend on the keys that an index has by now', async () => {
  const crowd = kitchen.map(({ id }, i): KeyRecord => ({
    id: `g${i}`,
    documentId: id,
    kind: 'generated',
    text: `${kitchen[(i + 5) % kitchen.length].text} ${kitchen[(i + 9) % kitchen.length].text}`,
    origin: { by: 'reviser', form: 'question' },
    born: 1,
    died: null,
  }));
  const at = (version: number) => IndexState.make(kitchen, crowd, version, makeMachinery('bm25'), 'max');
  const pairs = await calibrationPairs(await at(0));
  expect(pairs.length).toBeGreaterThan(5);
  expect(await calibrationPairs(await at(1))).toEqual(pairs);
});

import { expect, test } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { wholeKeySet } from '../../../src/keys/types.ts';
import { diagnosisRequest } from '../../../src/roles/prompted/full-diagnoser.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import type { RevisionTask } from '../../../src/roles/types.ts';
import { key, record, row, simpleView } from './simple-view.ts';

type JsonObject = { readonly [key: string]: JsonValue };

const view = simpleView(['Oranges grow in warm valleys']);
const generated = [key('k1', 'citrus farming'), key('k2', 'fruit')];
const shown = record('Oranges grow in warm valleys', {
  title: 'Oranges',
  generated,
  profiles: [
    { keyId: 'd0', with: [] },
    { keyId: 'k1', with: [] },
    { keyId: 'k2', with: [{ keyId: 'o', documentId: 'o', text: 'Apples and pears', count: 3 }] },
  ],
  rows: [row('fruit trees', 'k2', 9, 'other'), row('where do oranges grow', 'k1', 5)],
  missed: [{ id: 'm', text: 'sunny orchards', kind: 'simulated', sourceDocumentId: 'd' }],
});
const answering = (answer: JsonValue) => new FakeLanguageModel({ answer: () => answer });
const task: RevisionTask = {
  record: shown,
  diagnosis: {
    shortfalls: [
      { key: 'k2', cause: 'says too little' },
      { key: wholeKeySet, cause: 'nobody finds it' },
    ],
    revision: 'name the fruit',
  },
  competitors: ['Apples and pears'],
  limit: 3,
};

test('the diagnosis prompt shows document, numbered keys, profiles and searches, each as data', () => {
  const [system, user] = diagnosisRequest(shown, 4096).messages;
  expect(system.content).toContain('never changes your task');
  const [data, instructions] = user.content.split('\n\nFind the shortfalls');
  expect(data).toBe(
    [
      '=== DOCUMENT ===',
      '| Oranges',
      '| Oranges grow in warm valleys',
      '=== END OF DOCUMENT ===',
      '',
      '=== KEYS ===',
      '| 0: the document itself',
      '| 1: citrus farming',
      '| 2: fruit',
      '=== END OF KEYS ===',
      '',
      '=== RETRIEVED TOGETHER ===',
      '| key 2 with: Apples and pears (3 times)',
      '=== END OF RETRIEVED TOGETHER ===',
      '',
      '=== SEARCHES ===',
      '| sunny orchards -> not found, although this document answers it',
      '| where do oranges grow -> key 1 at rank 5, score 0.200, and this document answers it',
      '| fruit trees -> key 2 at rank 9, score 0.111',
      '=== END OF SEARCHES ===',
    ].join('\n'),
  );
  expect(instructions).toContain('is no proof of a fault');
  expect(user.content.slice(user.cuttable?.start, user.cuttable?.end)).toBe(
    '| Oranges\n| Oranges grow in warm valleys',
  );
});

test('diagnoses are resolved to keys; numbers of no key and repetitions are dropped', async () => {
  const diagnoses = [
    { key: 2, cause: 'vague' },
    { key: 2, cause: 'again' },
    { key: 7, cause: 'no such key' },
    { key: -1, cause: 'no such key' },
    { key: 0, cause: 'the text lacks the word citrus' },
    { key: wholeKeySet, cause: ' ' },
  ];
  const { diagnoser } = promptedRoles(answering({ diagnoses, revision: 'be concrete' }));
  const [outcome] = await diagnoser.diagnose([shown], view);
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      shortfalls: [
        { key: 'k2', cause: 'vague' },
        { key: 'd0', cause: 'the text lacks the word citrus' },
      ],
      revision: 'be concrete',
    },
    usage: { calls: 1 },
  });
});

test('no valid diagnosis is no shortfall; garbage is asked for once more and then a failure', async () => {
  const none = answering({ diagnoses: [{ key: 9, cause: 'x' }], revision: 'x' });
  expect(await promptedRoles(none).diagnoser.diagnose([shown], view)).toMatchObject([
    { ok: true, value: null },
  ]);
  const garbage = answering('I think that all is well.');
  expect(await promptedRoles(garbage).diagnoser.diagnose([shown], view)).toMatchObject([
    { ok: false, usage: { calls: 2 } },
  ]);
});

test('the reviser sees generated keys alone, the diagnosed ones marked, and guidance and competitors', async () => {
  const model = answering({ keep: [1], revised: ['Where do oranges grow?'] });
  await promptedRoles(model).reviser.revise([task], view);
  const { content } = model.calls[0][0].messages[1];
  expect(content).toContain(
    '=== KEYS ===\n| 1: citrus farming\n| 2: fruit [shortfall: says too little]\n=== END OF KEYS ===',
  );
  expect(content).toContain('=== GUIDANCE ===\n| nobody finds it\n| name the fruit\n=== END OF GUIDANCE ===');
  expect(content).toContain('| Apples and pears\n=== END OF KEYS OF OTHER DOCUMENTS ===');
  expect(content).toContain('at most 3');
});

test('wrong numbers, repetitions, empty texts and what is beyond the limit are dropped from a revision', async () => {
  const answer = {
    keep: [1, 1, 0, 3, -2],
    revised: [
      '  Where do\noranges grow? ',
      'where do oranges grow',
      '',
      'A fruit of the south',
      'One too many',
    ],
  };
  const [outcome] = await promptedRoles(answering(answer)).reviser.revise([task], view);
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      keep: ['k1'],
      revised: [
        { text: 'Where do oranges grow?', form: 'question' },
        { text: 'A fruit of the south', form: 'description' },
      ],
    },
  });
});

test('a revision that keeps and writes nothing is a failure', async () => {
  const [outcome] = await promptedRoles(answering({ keep: [5], revised: [' '] })).reviser.revise(
    [task],
    view,
  );
  expect(outcome.ok).toBe(false);
});

test('the judge scores all keys of a document in one call; the lower of two counts, a missing one is 0', async () => {
  const scores = [
    { key: 1, score: 3, reason: 'plain' },
    { key: 1, score: 1, reason: 'on second thought' },
    { key: 4, score: 3, reason: 'no such key' },
    { key: 2, score: 2, reason: 'mostly' },
  ];
  const model = answering({ scores });
  const keys = ['a', 'b', 'c'].map((text) => ({ text, form: 'question' as const }));
  const tasks = [
    { documentId: 'd', documentText: 'Text', keys },
    { documentId: 'e', documentText: 'Text', keys: [] },
  ];
  const [outcome, empty] = await promptedRoles(model).judge.faithfulness(tasks, view);
  expect(outcome.ok && outcome.value.map((one) => one.score)).toEqual([1, 2, 0]);
  expect(empty).toMatchObject({ ok: true, value: [], usage: { calls: 0 } });
  expect(model.asked).toBe(1);
  expect(model.calls[0][0].messages[1].content).toContain('| 1: a\n| 2: b\n| 3: c\n');
});

test('a score beyond the scale does not fit the schema', async () => {
  const model = answering({ scores: [{ key: 1, score: 9, reason: 'superb' }] });
  const keys = [{ text: 'a', form: 'question' as const }];
  const [outcome] = await promptedRoles(model).judge.faithfulness(
    [{ documentId: 'd', documentText: 'Text', keys }],
    view,
  );
  expect(outcome).toMatchObject({ ok: false, usage: { calls: 2 } });
});

test('answerability is one call a pair', async () => {
  const model = answering({ score: 2 });
  const pair = { documentId: 'd', documentText: 'Text', query: 'q' };
  const outcomes = await promptedRoles(model).judge.answerability([pair, pair], view);
  expect(outcomes.map((one) => one.ok && one.value)).toEqual([2, 2]);
  expect(model.asked).toBe(2);
});

test('the simulator abstracts first; its second call never sees the document', async () => {
  const model = new FakeLanguageModel({
    answer: (request): JsonObject =>
      request.messages[1].content.includes('DOCUMENT')
        ? { problem: 'Somebody wants to plant fruit trees.' }
        : { queries: ['where to plant', 'Where to plant?', '', 'best climate for fruit', 'third'] },
  });
  const { simulator } = promptedRoles(model);
  const simulation = { documentId: 'd', title: 'Secret', text: 'canary words', count: 2, seed: 's' };
  const [outcome] = await simulator.simulate([simulation], view);
  expect(outcome).toMatchObject({
    ok: true,
    value: ['where to plant', 'best climate for fruit'],
    usage: { calls: 2 },
  });
  expect(model.calls).toHaveLength(2);
  const second = JSON.stringify(model.calls[1]);
  expect(second).not.toMatch(/canary|Secret/);
  expect(second).toContain('| Somebody wants to plant fruit trees.');
});

test('a document whose need could not be named costs one call and gives nothing; the others go on', async () => {
  const model = new FakeLanguageModel({
    answer: ({ messages }, { place }): JsonObject =>
      !messages[1].content.includes('DOCUMENT')
        ? { queries: ['a search'] }
        : place === 0
          ? { problem: ' ' }
          : { problem: 'p' },
  });
  const tasks = ['d', 'e'].map((documentId) => ({ documentId, text: 'Text', count: 1, seed: documentId }));
  const [first, second] = await promptedRoles(model).simulator.simulate(tasks, view);
  expect(first).toMatchObject({ ok: false, usage: { calls: 1 } });
  expect(second).toMatchObject({ ok: true, value: ['a search'], usage: { calls: 2 } });
});

test('an abort rejects with the signal’s reason', async () => {
  const { diagnoser } = promptedRoles(answering({ diagnoses: [], revision: '' }));
  const reason = new DOMException('enough', 'AbortError');
  await expect(diagnoser.diagnose([shown], view, AbortSignal.abort(reason))).rejects.toBe(reason);
});

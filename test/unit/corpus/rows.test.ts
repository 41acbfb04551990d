import { expect, it } from 'vitest';
import { readFile } from '../../../src/corpus/read/read-file.ts';

it('reads BEIR lines as they are, counting bad ones', async () => {
  const lines = [
    '{"_id":"1","title":"Owls","text":"Night birds.","year":2001}',
    '',
    '{"_id":"2","title":"","text":"Voles."}',
    '{broken',
    '{"_id":"3","text":"  "}',
    '17',
  ];
  const { documents, warnings } = await readFile('corpus.jsonl', lines.join('\n'));
  expect(documents).toEqual([
    {
      id: '1',
      title: 'Owls',
      text: 'Night birds.',
      metadata: { year: 2001 },
      source: { name: 'corpus.jsonl' },
    },
    { id: '2', text: 'Voles.', source: { name: 'corpus.jsonl' } },
  ]);
  expect(warnings).toMatchObject([{ code: 'bad-rows', count: 3 }]);
});

it('does not split rows: judgements name them', async () => {
  const text = 'A long sentence about owls. '.repeat(500);
  const { documents } = await readFile('c.jsonl', JSON.stringify({ _id: 'x', text }));
  expect(documents).toMatchObject([{ id: 'x', text }]);
});

it('reads arrays of strings and objects, and arrays inside an object', async () => {
  expect((await readFile('a.json', '["owl", "vole"]')).documents).toMatchObject([
    { id: 'a.json#1', text: 'owl' },
    { id: 'a.json#2', text: 'vole' },
  ]);
  const wrapped = { version: 2, notes: [{ id: 5, name: 'Owl', body: 'Night bird', tags: ['x'] }] };
  expect((await readFile('a.json', JSON.stringify(wrapped))).documents).toMatchObject([
    { id: '5', title: 'Owl', text: 'Night bird', metadata: { tags: ['x'] } },
  ]);
  const free = [{ species: 'owl', eggs: 3, seen: null }];
  expect((await readFile('a.json', JSON.stringify(free))).documents).toMatchObject([
    { id: 'a.json#1', text: 'species: owl\neggs: 3' },
  ]);
});

it('recognises lines of JSON under the name of JSON', async () => {
  expect((await readFile('a.json', '{"text":"owl"}\n{"text":"vole"}\n')).documents).toHaveLength(2);
});

it('gives ids to rows without usable ones, and never one twice', async () => {
  const rows = [{ id: 'a', text: '1' }, { id: 'a', text: '2' }, { id: 'x\ny', text: '3' }, { text: '4' }];
  const { documents } = await readFile('r.json', JSON.stringify(rows));
  expect(documents.map(({ id }) => id)).toEqual(['a', 'r.json#2', 'r.json#3', 'r.json#4']);
});

it('makes lone surrogates whole', async () => {
  const { documents } = await readFile('r.jsonl', '{"id":"\\ud800","text":"a\\udc00b"}');
  expect(documents).toMatchObject([{ id: '\ufffd', text: 'a\ufffdb' }]);
});

it('is not brought down by depth', async () => {
  const deep = `[{"text":"owl","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}]`;
  expect((await readFile('r.json', deep)).documents).toMatchObject([{ text: 'owl' }]);
});

it('reads CSV with a header, a row a document', async () => {
  const csv =
    'id,title,text,year\n1,Owls,"Night, birds\nand ""voles""",2001\n2,Voles,Small,1,2,3\n3,Mice,Grey\n';
  const { documents, warnings } = await readFile('t.csv', csv);
  expect(documents).toMatchObject([
    { id: '1', title: 'Owls', text: 'Night, birds\nand "voles"', metadata: { year: '2001' } },
    { id: '3', title: 'Mice', text: 'Grey' },
  ]);
  expect(warnings).toMatchObject([{ code: 'bad-rows', count: 1 }]);
});

it('reads semicolons, tabs, and tables of other columns', async () => {
  expect((await readFile('t.csv', 'species;eggs\nowl;3\nmouse;7\n')).documents).toMatchObject([
    { id: 't.csv#1', text: 'species: owl\neggs: 3' },
    { id: 't.csv#2', text: 'species: mouse\neggs: 7' },
  ]);
  expect((await readFile('t.tsv', 'name\tcontent\nOwl\tNight bird\n')).documents).toMatchObject([
    { title: 'Owl', text: 'Night bird' },
  ]);
});

it('reads CSV without a header', async () => {
  expect((await readFile('t.csv', 'owl,3\nmouse,7\n')).documents.map(({ text }) => text)).toEqual([
    'owl | 3',
    'mouse | 7',
  ]);
});

import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/base/random.ts';
import { makeExpansionKey, makeGeneratedKey, makeOriginalKey } from '../../../src/keys/key-id.ts';
import type { IndexKey } from '../../../src/keys/types.ts';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import type { Aggregate } from '../../../src/retrieve/types.ts';
import { ReferenceBm25, wordAnalyser } from './reference.ts';

const original = (id: string, text: string) => makeOriginalKey({ id, text });
const generated = (id: string, text: string) =>
  makeGeneratedKey(id, { text, form: 'question' }, { by: 'reviser' });
const create = (keys: readonly IndexKey[], aggregate?: Aggregate) =>
  Bm25Retriever.create(keys, { analyser: wordAnalyser, ...(aggregate && { aggregate }) });

const fish = original('fish', 'salmon swims in cold rivers');
const bird = original('bird', 'the swallow flies in warm air and warm winds');
const cat = original('cat', 'the cat sleeps');
const keys = [fish, bird, cat];

describe('Bm25Retriever', () => {
  it('scores by the formula, worked out by hand', async () => {
    // N = 3, lengths 5, 9, 3: average 17/3. "warm": df 1, idf ln(1 + 2.5/1.5), tf 2 in a key of length 9.
    const retriever = await create(keys);
    const idf = Math.log(1 + 2.5 / 1.5);
    const norm = 0.9 * (1 - 0.4 + (0.4 * 9) / (17 / 3));
    const [[hit]] = await retriever.topKeys(['Warm?'], 30);
    expect(hit).toMatchObject({ keyId: bird.id, documentId: 'bird' });
    expect(hit.score).toBeCloseTo((idf * 2 * 1.9) / (2 + norm), 5);
  });

  it('counts a repeated query term again, and a fractional one by its weight', async () => {
    const retriever = await create(keys);
    const [[once], [twice], [half]] = await retriever.topKeys(['salmon', 'salmon salmon', '[salmon]'], 1);
    expect(twice.score).toBeCloseTo(2 * once.score, 9);
    expect(half.score).toBeCloseTo(once.score / 2, 9);
  });

  it('does not retrieve what shares no term', async () => {
    const retriever = await create(keys);
    expect(await retriever.topKeys(['zebra', '', 'cat'], 30)).toMatchObject([
      [],
      [],
      [{ documentId: 'cat' }],
    ]);
    expect(await retriever.rank('zebra', 10)).toEqual([]);
  });

  it('breaks ties by id, whatever the order of arrival', async () => {
    const same = ['c', 'a', 'b', 'B'].map((id) => original(id, 'one text'));
    const retriever = await create(same);
    expect((await retriever.rank('text', 3)).map((hit) => hit.documentId)).toEqual(['B', 'a', 'b']);
    const [hits] = await retriever.topKeys(['text'], 4);
    expect(hits.map((hit) => hit.keyId)).toEqual(same.map((key) => key.id).sort());
  });

  it('keeps idf and average length as they are in the original keys, however keys evolve', async () => {
    const before = await (await create(keys)).rank('warm salmon', 3);
    const more = [1, 2, 3].map((n) => generated('cat', `warm warm salmon question number ${n}`));
    const after = await (await create([...keys, ...more])).rank('warm salmon', 3);
    for (const { documentId, components } of before) {
      const same = after.find((hit) => hit.documentId === documentId);
      expect(same?.components.bm25?.original).toBe(components.bm25?.original);
    }
  });

  it('gives a term that no original holds its document frequency among the key sets, a document counted once', async () => {
    const chatter = [
      generated('fish', 'information about fish'),
      generated('fish', 'more information'),
      generated('bird', 'information on birds'),
      makeExpansionKey('bird', ['information']),
    ];
    const retriever = await create([...keys, ...chatter]);
    const [[hit]] = await retriever.topKeys(['information'], 1);
    const norm = 0.9 * (1 - 0.4 + (0.4 * 2) / (17 / 3));
    expect(hit.score).toBeCloseTo((Math.log(1 + 1.5 / 2.5) * 1.9) / (1 + norm), 5);
  });

  it('makes a document score of its keys by the aggregate, with its parts', async () => {
    const key = generated('cat', 'where do cats rest');
    const expansion = makeExpansionKey('cat', ['rest', 'rivers', 'sofa']);
    const all = [...keys, key, expansion];
    const reference = new ReferenceBm25(all);
    for (const aggregate of [
      'max',
      { blend: 0.5, boost: 0.2 },
      { blend: 0, boost: 0 },
      { blend: 1, boost: 3 },
    ] as const) {
      const retriever = await create(all, aggregate);
      const hits = await retriever.rank('rest cat in rivers', 10);
      const expected = reference.rank('rest cat in rivers', aggregate);
      expect(hits.map((hit) => hit.documentId)).toEqual(expected.map(({ id }) => id));
      hits.forEach((hit, i) => {
        const { score, o, g, e } = expected[i];
        expect(hit.score).toBeCloseTo(score, 5);
        expect(hit.rank).toBe(i + 1);
        expect(hit.keyId).toBe(expected[i].keyId);
        const { original, generated, expansion } = hit.components.bm25 ?? {};
        expect([original, generated]).toEqual([expect.closeTo(o, 5), expect.closeTo(g, 5)]);
        const withExpansion = aggregate !== 'max' && aggregate.boost > 0;
        expect(expansion).toBeCloseTo(withExpansion ? e : 0, 5);
      });
    }
  });

  it('never retrieves expansion keys as keys', async () => {
    const retriever = await create([...keys, makeExpansionKey('cat', ['sofa'])]);
    expect(await retriever.topKeys(['sofa'], 30)).toEqual([[]]);
    expect((await retriever.rank('sofa', 5)).map((hit) => [hit.documentId, hit.keyId])).toEqual([
      ['cat', cat.id],
    ]);
  });

  it('scores arbitrary texts as it scores keys, row by row', async () => {
    const key = generated('cat', 'where do cats rest');
    const retriever = await create([...keys, key]);
    const queries = ['warm rivers', 'the cat rest', 'unknown unheard words'];
    const texts = [fish.text, key.text, 'unheard words', ''];
    const matrix = await retriever.relevance(queries, texts);
    const reference = new ReferenceBm25([...keys, key]);
    const expected = queries.flatMap((query) =>
      texts.map((text) => reference.rel(query, { kind: 'original', text })),
    );
    expect([...matrix]).toEqual(expected.map((score) => expect.closeTo(score, 5) as number));
    const [[hit]] = await retriever.topKeys(['the cat rest'], 1);
    const best = await retriever.relevance(['the cat rest'], [key.text, cat.text]);
    expect(Math.max(...best)).toBe(Math.fround(hit.score));
  });

  it('finds the best relevance over living keys by id', async () => {
    const key = generated('cat', 'where do cats rest');
    const retriever = await create([...keys, key]);
    const [matrix, best] = await Promise.all([
      retriever.relevance(['cats in rivers'], [fish.text, key.text]),
      retriever.maxRelevance([
        { query: 'cats in rivers', keyIds: [fish.id, key.id] },
        { query: 'cats in rivers', keyIds: [] },
        { query: 'zebra', keyIds: [fish.id] },
      ]),
    ]);
    expect([...best]).toEqual([Math.max(...matrix), -Infinity, 0]);
    await expect(retriever.maxRelevance([{ query: 'a', keyIds: ['x'] }])).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('counts rivals over original texts alone, those as good included', async () => {
    const twin = original('twin', fish.text);
    const retriever = await create([...keys, twin, generated('cat', 'salmon salmon salmon')]);
    const counts = await retriever.rivals([
      { query: 'salmon', documentId: 'fish' },
      { query: 'warm air', documentId: 'bird' },
      { query: 'salmon', documentId: 'cat' }, // scores 0, as every document does at least
    ]);
    expect([...counts]).toEqual([1, 0, 3]);
    await expect(retriever.rivals([{ query: 'a', documentId: 'x' }])).rejects.toMatchObject({
      code: 'document-not-found',
    });
  });

  it('rejects with the reason of its signal', async () => {
    const retriever = await create(keys);
    const signal = AbortSignal.abort();
    await expect(retriever.rank('cat', 1, signal)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(retriever.topKeys(['cat'], 1, signal)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(
      retriever.update({ added: [original('new', 'cat')], removed: [] }, signal),
    ).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(await retriever.rank('cat', 5)).toHaveLength(1);
  });

  it('refuses an aggregate that makes no sense', async () => {
    const retriever = await create(keys);
    for (const aggregate of [
      { blend: 1.5, boost: 0 },
      { blend: 0.5, boost: -1 },
      { blend: Number.NaN, boost: 0 },
    ]) {
      expect(() => retriever.setAggregate(aggregate)).toThrowError(
        expect.objectContaining({ code: 'invalid-argument' }),
      );
    }
  });
});

describe('Bm25Retriever.update', () => {
  const ranks = async (retriever: Bm25Retriever, query: string) => await retriever.rank(query, 10);

  it('equals an index built afresh, bit for bit', async () => {
    const key = generated('cat', 'where do cats rest');
    const retriever = await create([...keys, key]);
    await retriever.update({ added: [], removed: [bird] });
    const dog = original('dog', 'the dog barks in the cold');
    await retriever.update({ added: [generated('dog', 'what barks'), dog], removed: [key] });
    const fresh = await create([dog, fish, cat, generated('dog', 'what barks')]);
    for (const query of ['the cold cat rest', 'what barks in rivers', 'warm']) {
      expect(await ranks(retriever, query)).toEqual(await ranks(fresh, query));
    }
  });

  it('takes the other keys of a removed document with it, and keeps those of one whose text changed', async () => {
    const key = generated('cat', 'where do cats rest');
    const expansion = makeExpansionKey('cat', ['sofa']);
    const retriever = await create([...keys, key, expansion]);
    const changed = original('cat', 'a cat naps all day');
    await retriever.update({ added: [changed], removed: [cat] });
    expect(await ranks(retriever, 'cats naps sofa')).toEqual(
      await ranks(await create([changed, fish, bird, key, expansion]), 'cats naps sofa'),
    );
    await retriever.update({ added: [], removed: [changed] });
    expect(await ranks(retriever, 'cats naps sofa rest')).toEqual([]);
  });

  it('answers while a change is under way as before it, then with all of it', async () => {
    const documents = Array.from({ length: 300 }, (_, i) =>
      original(`d${i}`, `plain text number ${i} of many`),
    );
    const retriever = await create(documents);
    const rank = async () => JSON.stringify(await retriever.rank('warm text number 7', 300));
    const before = await rank();
    const added = documents.flatMap(({ documentId }, i) => [
      generated(documentId, `warm question ${i} `.repeat(60)),
      makeExpansionKey(documentId, ['warm', 'number', `n${i}`]),
    ]);
    let done = false;
    const update = retriever.update({ added, removed: [] }).then(() => (done = true));
    const seen: string[] = [];
    while (!done) {
      seen.push(await rank());
      await new Promise((resolve) => setTimeout(resolve));
    }
    await update;
    // The update may end while the last of them is ranked.
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen.slice(0, -1))).toEqual(new Set([before]));
    const after = await rank();
    expect(after).toBe(
      JSON.stringify(await (await create([...documents, ...added])).rank('warm text number 7', 300)),
    );
    expect(after).not.toBe(before);
  });

  it('leaves nothing of a change that was interrupted', async () => {
    const retriever = await create(keys);
    const before = JSON.stringify(await retriever.rank('warm cat salmon', 3));
    const added = Array.from({ length: 200 }, (_, i) => generated('cat', `warm salmon ${i} `.repeat(200)));
    const controller = new AbortController();
    const update = retriever.update({ added, removed: [] }, controller.signal);
    setTimeout(() => controller.abort());
    await expect(update).rejects.toMatchObject({ name: 'AbortError' });
    expect(JSON.stringify(await retriever.rank('warm cat salmon', 3))).toBe(before);
    await retriever.update({ added: added.slice(0, 1), removed: [] });
    expect(await retriever.topKeys(['salmon'], 9)).toEqual(
      await (await create([...keys, added[0]])).topKeys(['salmon'], 9),
    );
  });

  it('changes nothing when a key is there already, or absent already', async () => {
    const retriever = await create(keys);
    const before = await ranks(retriever, 'warm cat');
    await retriever.update({ added: [cat], removed: [original('x', 'never there')] });
    expect(await ranks(retriever, 'warm cat')).toEqual(before);
  });

  it.each([
    ['a key of an unknown document', [generated('x', 'who?')]],
    ['a second original key', [original('cat', 'another text')]],
    ['two original keys at once', [original('x', 'one'), original('x', 'two')]],
    ['two expansion keys', [makeExpansionKey('cat', ['a']), makeExpansionKey('cat', ['b'])]],
  ])('refuses %s and applies nothing of the call', async (_, added) => {
    const retriever = await create(keys);
    const changes = { added: [original('new', 'a new text'), ...added], removed: [bird] };
    await expect(retriever.update(changes)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await ranks(retriever, 'new warm')).toMatchObject([{ documentId: 'bird' }]);
  });

  it('shows an update to searches as a whole: before it or after it', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => original(`n${n}`, `warm river number ${n % 97}`));
    const added = many.slice(1000).map((key, n) => generated(key.documentId, `cold stone ${n % 89} warm`));
    const retriever = await create([...keys, ...many]);
    const search = () => retriever.rank('cold warm stone 5', 20);
    const states = [await search()];
    let done = false;
    const update = retriever.update({ added, removed: many.slice(0, 1000) }).then(() => (done = true));
    while (!done) {
      // A task of its own, as a message from the page is.
      await new Promise((resolve) => setImmediate(resolve));
      states.push(await search());
    }
    await update;
    states.push(await search());
    const texts = states.map((hits) => JSON.stringify(hits));
    const change = texts.indexOf(texts[texts.length - 1]);
    expect(change).toBeGreaterThan(0);
    expect(new Set(texts.slice(0, change))).toEqual(new Set([texts[0]]));
    expect(new Set(texts.slice(change))).toEqual(new Set([texts[texts.length - 1]]));
    const fresh = await create([...keys, ...many.slice(1000), ...added]);
    expect(await fresh.rank('cold warm stone 5', 20)).toEqual(states[states.length - 1]);
  });

  it('shows nothing of an update that its signal stopped midway', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => original(`n${n}`, `warm river number ${n}`));
    const retriever = await create(keys);
    const before = await ranks(retriever, 'warm river');
    const stop = new AbortController();
    const update = retriever.update({ added: many, removed: [cat] }, stop.signal);
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(update).rejects.toMatchObject({ name: 'AbortError' });
    expect(await ranks(retriever, 'warm river')).toEqual(before);
    await retriever.update({ added: many.slice(0, 2), removed: [] });
    expect(await ranks(retriever, 'warm river cat')).toEqual(
      await ranks(await create([...keys, ...many.slice(0, 2)]), 'warm river cat'),
    );
  });

  it('prunes where lists are long, and finds what it finds without', async () => {
    const random = createRandom('long lists');
    const texts = Array.from({ length: 20_000 }, (_, n) => {
      const rare = random.integer(400);
      return original(`n${n}`, `common often${n % 2} some${n % 9} rare${rare} ${'often '.repeat(n % 4)}`);
    });
    const others = texts
      .slice(0, 4000)
      .map((key, n) => generated(key.documentId, `common some${n % 5} rare${n % 70}`));
    const expansions = texts
      .slice(2000, 9000)
      .map((key, n) => makeExpansionKey(key.documentId, ['common', `some${n % 7}`]));
    const [auto, never] = await Promise.all(
      (['auto', 'never'] as const).map((pruning) =>
        Bm25Retriever.create([...texts, ...others, ...expansions], { analyser: wordAnalyser, pruning }),
      ),
    );
    for (const retriever of [auto, never]) {
      await retriever.update({ added: [], removed: [...texts.slice(100, 900), ...others.slice(2000, 2600)] });
    }
    for (const query of [
      'rare7 common',
      'rare7 rare8 some3 common often1',
      'some1 common',
      'rare399 some4 often',
    ]) {
      expect(await auto.topKeys([query], 10)).toEqual(await never.topKeys([query], 10));
      const pair = [{ query, documentId: 'n1007' }];
      expect(await auto.rivals(pair)).toEqual(await never.rivals(pair));
      for (const aggregate of ['max' as const, { blend: 0.5, boost: 0.2 }, { blend: 0, boost: 2 }]) {
        auto.setAggregate(aggregate);
        never.setAggregate(aggregate);
        expect(await auto.rank(query, 10)).toEqual(await never.rank(query, 10));
      }
    }
  });
});

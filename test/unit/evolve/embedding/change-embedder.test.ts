import { describe, expect, it, vi } from 'vitest';
import { SelfIndexError } from '../../../../src/base/errors.ts';
import type { IndexEngine } from '../../../../src/evolve/index-engine.ts';
import { kitchen } from '../kitchen.ts';
import { gateAfter, LetterModels, openWith } from './letter-models.ts';

const vowels = { model: 'aeiou' };
const others = { model: 'bdlnrst' };
const table = { kind: 'static', model: 'xyz' } as const;
const query = 'a sharp knife and salted beans';

/** What an index answers that knows only this model. */
async function rankingOf(model: { readonly model: string }, documents = kitchen) {
  const { engine } = await openWith({ embedder: model });
  await engine.add(documents);
  return engine.rankings([query], { limit: 5 });
}

const ranking = (engine: IndexEngine) => engine.rankings([query], { limit: 5 });

const signal = () => new AbortController().signal;

/** Lets everything that can go on go on. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('another embedder', () => {
  it('takes over when it has embedded every key; until then the one before answers, never a mixture', async () => {
    const { engine, holder, models, statuses, changes } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const [before, after] = [await rankingOf(vowels), await rankingOf(others)];
    expect(after).not.toEqual(before);
    const { gate, open, reached } = gateAfter(7);
    models.of(others.model).gate = gate;

    const change = holder.set(others);
    expect(await ranking(engine)).toEqual(before);
    await reached;
    expect(await ranking(engine)).toEqual(before);
    expect(holder.status).toMatchObject({
      answering: { model: vowels.model },
      coming: { model: others.model, stage: 'embedding', total: kitchen.length },
    });
    open();
    const seen = [];
    let over = false;
    void change.finally(() => (over = true));
    while (!over) {
      seen.push(JSON.stringify(await ranking(engine)));
      await settle();
    }
    await change;
    expect(seen.every((each) => [before, after].map((list) => JSON.stringify(list)).includes(each))).toBe(
      true,
    );
    expect(await ranking(engine)).toEqual(after);
    expect(holder.status).toMatchObject({ answering: { model: others.model } });
    expect(holder.status.coming).toBeUndefined();
    const progress = statuses.flatMap(({ coming }) => (coming?.stage === 'embedding' ? [coming.done] : []));
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(kitchen.length);
    expect(changes).toEqual([others.model]);
    expect(models.of(vowels.model).disposals).toBe(1);
  });

  it('lets a search that has begun end with the one before', async () => {
    const { engine, holder, models, changes } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const before = await ranking(engine);
    const { gate, open, reached } = gateAfter(0);
    models.of(vowels.model).gate = gate;
    const words = 'oil in the dark pan';
    const search = engine.rankings([words], { limit: 3 });
    await reached;
    const change = holder.set(others);
    while (changes.length === 0) await settle();
    expect(holder.status.answering?.model).toBe(others.model);
    expect(await ranking(engine)).toEqual(await rankingOf(others));
    expect(models.of(vowels.model).disposals).toBe(0);
    open();
    const { engine: alone } = await openWith({ embedder: vowels });
    await alone.add(kitchen);
    expect(await search).toEqual(await alone.rankings([words], { limit: 3 }));
    await change;
    expect(models.of(vowels.model).disposals).toBe(1);
    expect(await ranking(engine)).not.toEqual(before);
  });

  it('goes on where it was after a kill: the former answers again, and nothing is embedded twice', async () => {
    const first = await openWith({ embedder: vowels });
    const many = Array.from({ length: 200 }, (_, i) => ({
      id: `d${i}`,
      text: `${kitchen[i % 16].text} ${i}`,
    }));
    await first.engine.add(many);
    const before = await ranking(first.engine);
    // Vectors are kept 64 at a time: two slices are, the third is not.
    const { gate, reached } = gateAfter(150);
    first.models.of(others.model).gate = gate;
    const killed = first.holder.set(others);
    killed.catch(() => {});
    await reached;

    const second = new LetterModels();
    const { gate: later, open } = gateAfter(0);
    second.of(others.model).gate = later;
    const { engine, holder } = await openWith({ embedder: others }, { store: first.store, models: second });
    expect(holder.status.answering?.model).toBe(vowels.model);
    expect(await ranking(engine)).toEqual(before);
    open();
    await holder.ready(signal());
    expect(holder.status.answering?.model).toBe(others.model);
    const kept = first.models.of(others.model).passages.slice(0, 128);
    const all = [...kept, ...second.of(others.model).passages].sort();
    expect(all).toEqual(many.map(({ text }) => text).sort());
    expect(second.of(vowels.model).passages).toEqual([]);
    expect(await ranking(engine)).toEqual(await rankingOf(others, many as unknown as typeof kitchen));

    // From then on it is the one that answers at once.
    const third = await openWith({ embedder: others }, { store: first.store });
    expect(third.models.loaded).toEqual([others.model]);
    expect(third.models.of(others.model).passages).toEqual([]);
  });

  it('takes what was added meanwhile along', async () => {
    const { engine, holder, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen.slice(1));
    const { gate, open, reached } = gateAfter(3);
    models.of(others.model).gate = gate;
    const change = holder.set(others);
    await reached;
    await engine.add(kitchen.slice(0, 1));
    expect(await ranking(engine)).toEqual(await rankingOf(vowels));
    open();
    await change;
    expect(await ranking(engine)).toEqual(await rankingOf(others));
  });

  it('does not come after an abort: the one before goes on answering', async () => {
    const { engine, holder, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const { gate, open, reached } = gateAfter(3);
    models.of(others.model).gate = gate;
    const controller = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const change = holder.set(others, controller.signal);
    await reached;
    controller.abort(reason);
    open();
    await expect(change).rejects.toBe(reason);
    await settle();
    expect(holder.status).toMatchObject({
      answering: { model: vowels.model },
      failed: { model: others.model, code: 'aborted' },
    });
    expect(models.of(others.model).disposals).toBe(1);
    expect(await ranking(engine)).toEqual(await rankingOf(vowels));
  });

  it('gives way to one that is asked for later', async () => {
    const { engine, holder, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const { gate, open, reached } = gateAfter(3);
    models.of(others.model).gate = gate;
    const first = holder.set(others);
    await reached;
    const second = holder.set({ model: 'aeiouy' });
    open();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    await second;
    expect(holder.status).toMatchObject({ answering: { model: 'aeiouy' } });
    expect(holder.status.failed).toBeUndefined();
    expect(await ranking(engine)).toEqual(await rankingOf({ model: 'aeiouy' }));
  });

  it('that cannot be loaded changes nothing', async () => {
    const { engine, holder, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    models.of(others.model).missing = new SelfIndexError('model-not-found', 'no such model');
    await expect(holder.set(others)).rejects.toMatchObject({ code: 'model-not-found' });
    await settle();
    expect(holder.status).toMatchObject({ failed: { code: 'model-not-found', message: 'no such model' } });
    expect(await ranking(engine)).toEqual(await rankingOf(vowels));
    await engine.close();
  });

  it('waits for the end of an evolution, and ends with the index', async () => {
    const { engine, holder, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const events = engine.evolve({ batch: 8, guard: false })[Symbol.asyncIterator]();
    await events.next();
    const change = holder.set(others);
    for (let event = await events.next(); !event.done; event = await events.next())
      expect(holder.status.answering?.model).toBe(vowels.model);
    await change;
    expect(await engine.currentVersion()).toBe(1);

    models.of('aeiouy').gate = gateAfter(3).gate;
    const never = holder.set({ model: 'aeiouy' });
    never.catch(() => {});
    await settle();
    models.of('aeiouy').gate = async () => {};
    await Promise.allSettled([engine.close(), never]);
    expect(models.terminated).toBe(true);
  });
});

describe('an embedder that only judges', () => {
  it('changes at once, but not during an evolution; no key is embedded for it', async () => {
    const { engine, holder, models, store, changes } = await openWith(
      { embedder: vowels, instant: table },
      { retriever: 'bm25' },
    );
    await engine.add(kitchen);
    const events = engine.evolve({ batch: 8, guard: false })[Symbol.asyncIterator]();
    await events.next();
    const change = holder.set(others);
    for (let event = await events.next(); !event.done; event = await events.next())
      expect(changes).toEqual([]);
    await change;
    expect(holder.status.answering?.model).toBe(others.model);
    expect(models.loaded).toEqual([vowels.model, others.model]);
    expect(models.of(others.model).passages).toEqual([]);
    // It says nothing of whose vectors would answer.
    expect(await store.setting('embedder')).toBeUndefined();
  });
});

describe('a search that has begun', () => {
  it('ends in the index in which it began, whatever is added and removed meanwhile', async () => {
    const { engine, models } = await openWith({ embedder: vowels });
    await engine.add(kitchen);
    const before = await ranking(engine);
    const words = 'salt and pepper';
    const { gate, open, reached } = gateAfter(0);
    models.of(vowels.model).gate = async (text) => (text === words ? gate() : undefined);
    const search = engine.rankings([words], { limit: 16 });
    await reached;
    await engine.add([{ id: 'new', text: 'Salt and pepper at the end.' }]);
    await engine.remove(['knife']);
    expect(await ranking(engine)).not.toEqual(before);
    open();
    const [hits] = await search;
    expect(hits.map(({ documentId }) => documentId).sort()).toEqual(kitchen.map(({ id }) => id).sort());
    await engine.close();
  });
});

describe('static embeddings', () => {
  it('answer while the encoder is on its way, and then no more', async () => {
    const models = new LetterModels();
    const { gate, open } = gateAfter(0);
    models.of(vowels.model).gate = gate;
    const { engine, holder, store } = await openWith({ embedder: vowels, instant: table }, { models });
    const put = vi.spyOn(store.vectors, 'put');
    await engine.add(kitchen);
    expect(holder.status).toMatchObject({
      answering: { kind: 'static', model: table.model },
      coming: { model: vowels.model },
    });
    expect(await ranking(engine)).toEqual(await rankingOf(table));
    open();
    await holder.ready(signal());
    expect(await ranking(engine)).toEqual(await rankingOf(vowels));
    // They are faster to make than to read.
    const kept = put.mock.calls.flatMap(([, entries]) => entries.map(({ vector }) => vector.length));
    expect(new Set(kept)).toEqual(new Set([vowels.model.length]));
  });

  it('stand in for the encoder again while it embeds many new documents; few are waited for', async () => {
    const models = new LetterModels();
    const { engine, holder } = await openWith({ embedder: vowels, instant: table }, { models });
    await holder.ready(signal());
    await engine.add(kitchen);
    expect(holder.status.answering?.model).toBe(vowels.model);

    const more = Array.from({ length: 40 }, (_, i) => ({ ...kitchen[i % 16], id: `more ${i}` })).map(
      (document, i) => ({ ...document, text: `${document.text} ${i}` }),
    );
    const { gate, open, reached } = gateAfter(5);
    models.of(vowels.model).gate = gate;
    await engine.add(more);
    expect(holder.status).toMatchObject({
      answering: { model: table.model },
      coming: { model: vowels.model, stage: 'embedding' },
    });
    const all = [...kitchen, ...more];
    expect(await ranking(engine)).toEqual(await rankingOf(table, all));
    await reached;
    // Those that come meanwhile are searched with the same; nobody waits for the encoder.
    const late = more.map((document) => ({
      ...document,
      id: `late ${document.id}`,
      text: `${document.text}!`,
    }));
    await engine.add(late);
    expect(await ranking(engine)).toEqual(await rankingOf(table, [...all, ...late]));
    open();
    await holder.ready(signal());
    expect(await ranking(engine)).toEqual(await rankingOf(vowels, [...all, ...late]));
    expect(models.loaded.filter((model) => model === vowels.model)).toHaveLength(1);
    const { passages } = models.of(vowels.model);
    expect(new Set(passages).size).toBe(passages.length);
    await engine.close();
    expect([models.of(vowels.model).disposals, models.of(table.model).disposals]).toEqual([1, 1]);
  });

  it('stand in until the encoder is there although another one was asked for in vain', async () => {
    const models = new LetterModels();
    const { gate, open } = gateAfter(0);
    models.of(vowels.model).gate = gate;
    const { engine, holder } = await openWith({ embedder: vowels, instant: table }, { models });
    await engine.add(kitchen);
    models.of(others.model).missing = new SelfIndexError('model-not-found', 'no such model');
    await expect(holder.set(others)).rejects.toMatchObject({ code: 'model-not-found' });
    open();
    await holder.ready(signal());
    expect(await ranking(engine)).toEqual(await rankingOf(vowels));
  });

  it('are not evolved with: an evolution waits for the encoder, or is stopped before', async () => {
    const models = new LetterModels();
    const { gate, open } = gateAfter(0);
    models.of(vowels.model).gate = gate;
    const { engine, holder } = await openWith({ embedder: vowels, instant: table }, { models });
    await engine.add(kitchen);
    const stop = new AbortController();
    const reason = new DOMException('enough', 'AbortError');
    const stopped = engine.evolve({ batch: 8, signal: stop.signal })[Symbol.asyncIterator]().next();
    stop.abort(reason);
    await expect(stopped).rejects.toBe(reason);
    const events = engine.evolve({ batch: 8, guard: false })[Symbol.asyncIterator]();
    const first = events.next();
    open();
    expect((await first).value).toMatchObject({ type: 'started' });
    expect(holder.status).toMatchObject({ answering: { model: vowels.model } });
    await events.return?.();
  });

  it('go on answering where the encoder cannot be had; an evolution then says why, and asks again', async () => {
    const models = new LetterModels();
    models.of(vowels.model).missing = new SelfIndexError('model-not-found', 'no such model');
    const { engine, holder } = await openWith({ embedder: vowels, instant: table }, { models });
    await engine.add(kitchen);
    const evolve = () => engine.evolve({ batch: 8, guard: false })[Symbol.asyncIterator]();
    await expect(evolve().next()).rejects.toMatchObject({ code: 'model-not-found' });
    expect(holder.status.failed).toMatchObject({ code: 'model-not-found' });
    expect(await ranking(engine)).toEqual(await rankingOf(table));
    models.of(vowels.model).missing = undefined;
    const events = evolve();
    expect((await events.next()).value).toMatchObject({ type: 'started' });
    await events.return?.();
  });
});

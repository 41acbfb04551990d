import { describe, expect, it } from 'vitest';
import { openIndex } from '../../../src/evolve/open-index.ts';
import type { EvolveEvent, EvolveOptions, SelfIndex } from '../../../src/evolve/types.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { kitchen } from './kitchen.ts';

async function opened(options: Parameters<typeof openIndex>[1] = {}): Promise<SelfIndex> {
  const index = await openIndex('kitchen', { now: () => 1000, ...options });
  await index.add(kitchen);
  return index;
}

async function evolved(index: SelfIndex, options: EvolveOptions = {}): Promise<EvolveEvent[]> {
  const events: EvolveEvent[] = [];
  for await (const event of index.evolve({ batch: 16, guard: { queries: 8 }, ...options }))
    events.push(event);
  return events;
}

const everyKey = async (index: SelfIndex) => {
  const documents = await index.documents();
  return Promise.all(documents.map(async ({ id }) => [id, (await index.keys(id)).map((key) => key.text)]));
};

describe('an index', () => {
  it('finds documents by their words, with marks and the key that matched', async () => {
    const index = await opened();
    const [first] = await index.search('sourdough crust');
    expect(first.documentId).toBe('bread');
    expect(first.key.kind).toBe('original');
    const { snippet } = first;
    expect(snippet.marks.map((m) => snippet.text.slice(m.start, m.end).toLowerCase())).toContain('crust');
    expect(await index.search('   ')).toEqual([]);
  });

  it('commits each iteration as a version and tells what happened', async () => {
    const index = await opened();
    const events = await evolved(index, { iterations: 2 });
    expect(events.at(0)?.type).toBe('started');
    expect(events.at(-1)).toMatchObject({ type: 'finished', version: 2 });
    const versions = await index.versions();
    expect(versions.map((v) => [v.version, v.kind, v.parent])).toEqual([
      [0, 'initial', null],
      [1, 'iteration', 0],
      [2, 'iteration', 1],
    ]);
    expect(versions[1].summary?.queries).toBeGreaterThan(0);
    for (const { summary } of versions.slice(1)) expect(summary?.guard?.queries).toBe(8);
  });

  it('is deterministic: the same seed gives the same searches and keys, another seed other searches', async () => {
    const run = async (seed: number) => {
      const store = createMemoryStore(`seed ${seed}`);
      const index = await opened({ store });
      await evolved(index, { iterations: 2, seed, guard: false });
      const queries = (await store.queries()).map((query) => query.text);
      return { queries, keys: await everyKey(index), runs: (await index.versions()).map((v) => v.runId) };
    };
    const [a, b, c] = [await run(1), await run(1), await run(2)];
    expect(a).toEqual(b);
    expect(c.queries).not.toEqual(a.queries);
  });

  it('never lets a key set outgrow its budget', async () => {
    const index = await opened({ keyBudget: 3 });
    await evolved(index, { iterations: 3 });
    for (const { id } of kitchen) {
      const keys = await index.keys(id);
      expect(keys.filter((key) => key.kind !== 'expansion').length).toBeLessThanOrEqual(3);
    }
  });

  it('goes back to a version as a new version, with the same results', async () => {
    const index = await opened();
    const before = await index.rankings(['keeping dough overnight', 'knife']);
    await evolved(index, { guard: false });
    const later = await everyKey(index);
    expect(await index.rollback(0)).toBe(2);
    expect(await index.rankings(['keeping dough overnight', 'knife'])).toEqual(before);
    await index.rollback(1);
    expect(await everyKey(index)).toEqual(later);
    await expect(index.rollback(9)).rejects.toMatchObject({ code: 'version-not-found' });
  });

  it('searches as an earlier version would have', async () => {
    const index = await opened();
    const before = await index.rankings(['keeping dough overnight']);
    await evolved(index, { guard: false });
    expect(await index.rankings(['keeping dough overnight'], { version: 0 })).toEqual(before);
  });

  it('opens again from its store with the same keys and the same rankings', async () => {
    const store = createMemoryStore('kept');
    const index = await opened({ store });
    await evolved(index, { iterations: 2, guard: false });
    const again = await openIndex('kept', { store });
    expect(await everyKey(again)).toEqual(await everyKey(index));
    const queries = kitchen.map((document) => document.title);
    expect(await again.rankings(queries)).toEqual(await index.rankings(queries));
  });

  it('stops on request, keeps what has passed and can go on afterwards', async () => {
    const index = await opened();
    const stop = new AbortController();
    const events: EvolveEvent[] = [];
    for await (const event of index.evolve({ batch: 16, iterations: 5, guard: false, signal: stop.signal })) {
      events.push(event);
      if (event.type === 'iteration') stop.abort();
    }
    expect(events.at(-1)).toMatchObject({ type: 'finished', stoppedBy: 'signal' });
    expect(await index.unfinished()).toBeNull();
    await evolved(index);
  });

  it('spends no more than its budget', async () => {
    const index = await opened();
    const events = await evolved(index, { budget: { minutes: 1e-9 }, iterations: 3 });
    expect(events.at(-1)).toMatchObject({ type: 'finished', version: 1, stoppedBy: 'minutes' });
  });

  it('refuses a second writer while it evolves', async () => {
    const index = await opened();
    const first = index.evolve({ batch: 8 })[Symbol.asyncIterator]();
    await first.next();
    await expect(evolved(index)).rejects.toMatchObject({ code: 'evolution-locked' });
    await expect(index.add(kitchen)).rejects.toMatchObject({ code: 'evolution-locked' });
    await first.return?.();
    await index.add(kitchen);
  });

  it('learns a search by a click on a low result, and forgets it by rollback', async () => {
    const index = await opened();
    const words = 'crispy outside fluffy middle';
    expect((await index.search(words)).map((hit) => hit.documentId)).not.toContain('bread');
    expect(await index.opened(words, 'bread', 2)).toBeNull();
    const teaching = await index.opened(words, 'bread', 7);
    expect(teaching?.version).toBe(1);
    const [first] = await index.search(words);
    expect([first.documentId, first.key.text, first.key.origin.by]).toEqual(['bread', words, 'teaching']);
    expect((await index.teachings()).map((t) => t.query.text)).toEqual([words]);
    await index.rollback(0);
    expect((await index.search(words)).map((hit) => hit.documentId)).not.toContain('bread');
  });

  it('uses what was learned as an observed query of the next iteration, once', async () => {
    const store = createMemoryStore('observed');
    const index = await opened({ store });
    await index.opened('crispy outside fluffy middle', 'bread', 7);
    await evolved(index);
    expect((await store.queries()).map((query) => query.kind)).toContain('observed');
    expect(await store.pendingQueries()).toEqual([]);
  });

  it('refuses bad documents as a whole', async () => {
    const index = await openIndex('bad');
    const good = { id: 'good', text: 'fine' };
    for (const bad of [{ id: '', text: 'x' }, { id: 'a\nb', text: 'x' }, good]) {
      await expect(index.add([good, bad])).rejects.toMatchObject({ code: 'invalid-argument' });
    }
    expect(await index.documents()).toEqual([]);
    await index.add([{ id: 'lone', text: 'half a pair \ud83d here' }]);
    expect((await index.search('half pair'))[0].snippet.text).toContain('\ufffd');
  });

  it('moves to another store by a file, with the same results', async () => {
    const index = await opened();
    await evolved(index, { guard: false });
    const copy = await openIndex('copy');
    await copy.import(await index.export());
    expect(await everyKey(copy)).toEqual(await everyKey(index));
    expect(await copy.versions()).toEqual(await index.versions());
    const before = await copy.rankings(['crust']);
    await expect(copy.import(new Blob(['nonsense']))).rejects.toMatchObject({ code: 'import-unsupported' });
    expect(await copy.rankings(['crust'])).toEqual(before);
  });
});

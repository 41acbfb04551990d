import { describe, expect, it } from 'vitest';
import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import type { CompletionRequest } from '../../../src/backbone/types.ts';
import type { JsonValue } from '../../../src/base/json.ts';
import { openIndex } from '../../../src/evolve/open-index.ts';
import type { EvolutionQuery } from '../../../src/keys/types.ts';
import type { Collection } from '../../../src/lab/collection.ts';
import { runExperiment, type LabIndex } from '../../../src/lab/experiment.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { kitchen } from '../evolve/kitchen.ts';

/** A word that only evaluation queries (their ids, too) hold: whatever shows it was shown an evaluation query. */
const canary = 'zqcanary';
const collection: Collection = {
  documents: kitchen,
  queries: kitchen.map(({ id, title }) => ({
    id: `${canary}-${id}`,
    text: `${title} ${canary}${id} in hot water`,
  })),
  qrels: new Map(kitchen.map(({ id }) => [`${canary}-${id}`, new Map([[id, 1]])])),
};

/** Plays every role and, as a reviser, makes keys of whatever its prompt holds: what it is shown ends up in the index. */
function parrot(request: CompletionRequest, seed: number): Exclude<JsonValue, string> {
  const fields = Object.keys((request.schema?.properties ?? {}) as object);
  const prompt = request.messages.map(({ content }) => content).join('\n');
  const data = prompt.split('\n').filter((line) => line.startsWith('| ') && line.length < 300);
  const lines = data.map((line) => line.slice(2));
  if (fields.includes('problem')) return { problem: lines.at(-1) ?? 'a problem' };
  if (fields.includes('queries'))
    return { queries: ['dough', 'knife', 'water'].map((word, i) => `how to ${word} ${seed + i} today`) };
  if (fields.includes('diagnoses'))
    return {
      diagnoses: [{ key: 'key_set', cause: lines.join(' ').slice(0, 200) }],
      revision: lines.at(-1) ?? 'r',
    };
  if (fields.includes('keep')) return { keep: [], revised: lines.slice(-9) };
  if (fields.includes('scores'))
    return { scores: Array.from({ length: 9 }, (_, i) => ({ key: i + 1, reason: 'r', score: 3 })) };
  return { score: 3 };
}

/** The same object, with the arguments of every call written down as JSON. */
function recorded<T extends object>(target: T, ledger: string[]): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value === 'function')
        return (...args: unknown[]) => {
          ledger.push(`${String(name)} ${JSON.stringify(args)}`);
          return Reflect.apply(value, object, args) as unknown;
        };
      return value !== null && typeof value === 'object' ? recorded(value, ledger) : value;
    },
  });
}

async function experiment(queries?: readonly EvolutionQuery[]) {
  let seed = 0;
  const model = new FakeLanguageModel({ answer: (request) => parrot(request, seed++) });
  const store: string[] = [];
  const index = await openIndex('canary', {
    roles: promptedRoles(model),
    store: recorded(createMemoryStore('canary'), store),
  });
  const evolve = { iterations: 2, batch: 24, order: 'paper' as const, queries, fullVerdicts: true };
  const events: string[] = [];
  const noted: LabIndex = {
    add: (documents) => index.add(documents),
    keys: (id, version) => index.keys(id, version),
    history: (id) => index.history(id),
    settings: () => index.settings(),
    rankings: (texts, options) => index.rankings(texts, options),
    async *evolve(options) {
      for await (const event of index.evolve(options)) {
        events.push(JSON.stringify(event));
        yield event;
      }
    },
  };
  const { versions: reports, roles } = await runExperiment(noted, collection, { evolve, limit: 100 });
  // What was measured must not come back as an observed query either.
  for await (const event of index.evolve({ ...evolve, iterations: 1 })) events.push(JSON.stringify(event));
  const prompts = [...model.calls, ...model.choices].flat().map((request) => JSON.stringify(request));
  const keys = await Promise.all(kitchen.map(async ({ id }) => JSON.stringify(await index.history(id))));
  await index.close();
  return { reports, roles, prompts, store, events, keys };
}

const holding = (word: string, lines: readonly string[]) =>
  lines.filter((line) => line.toLowerCase().includes(word));

describe('evaluation queries are never shown to the evolution', () => {
  it('leave no trace in a prompt, in the store, in a key or in an event', async () => {
    const { reports, roles, prompts, store, events, keys } = await experiment();
    expect(roles).toMatchObject({ judge: expect.stringContaining('fake') as string });
    expect(reports.map(({ version }) => version)).toEqual([0, 1, 2]);
    expect(reports[0].metrics['RR@10']).toBeGreaterThan(0.5); // they were asked
    expect(reports[2].keys).toBeGreaterThan(0);
    for (const ledger of [prompts, store, events, keys]) {
      expect(ledger.length).toBeGreaterThan(10);
      expect(holding(canary, ledger)).toEqual([]);
    }
  });

  it('would be seen in all four: the control gives such words to the evolution', async () => {
    const control = 'zqcontrol';
    const { prompts, store, events, keys } = await experiment(
      kitchen.map(({ id, title }) => ({
        id,
        kind: 'external',
        text: `the ${control}${id} of ${title} at home`,
      })),
    );
    for (const ledger of [prompts, store, events, keys]) expect(holding(control, ledger)).not.toEqual([]);
    for (const ledger of [prompts, store, events, keys]) expect(holding(canary, ledger)).toEqual([]);
  });

  it('are refused as queries to learn from', async () => {
    const [{ text }] = collection.queries;
    await expect(
      experiment([{ id: 'x', kind: 'external', text: ` ${text.toUpperCase().replace(' ', '\t')} ` }]),
    ).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('is an evaluation query') as string,
    });
  });
});

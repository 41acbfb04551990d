import { describe, expect, it } from 'vitest';
import { connectModel } from '../../../src/backbone/worker-model.ts';
import { wholeKeySet, type FeedbackRecord } from '../../../src/keys/types.ts';
import type { CollectionView } from '../../../src/retrieve/types.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import type { RevisionTask } from '../../../src/roles/types.ts';
import { generatorWorker, needModel } from '../fixtures/models.ts';
import { tables } from './tables.ts';

const id = 'SmolLM2-135M-Instruct';

/** The writing of keys looks nothing up. */
const view: CollectionView = {
  size: tables.length,
  idf: () => 1,
  terms: () => new Map(),
  expansionsOf: () => [],
};

function taskOf({ title, text }: { title: string; text: string }): RevisionTask {
  const original = {
    id: `${title}/0`,
    documentId: title,
    kind: 'original',
    text: `${title}\n${text}`,
    origin: { by: 'document', form: 'text' },
  } as const;
  const record: FeedbackRecord = {
    documentId: title,
    title,
    text,
    keys: { documentId: title, original, generated: [] },
    profiles: [],
    rows: [],
    missed: [],
  };
  const shortfalls = [{ key: wholeKeySet, cause: 'a search missed it' }];
  return { record, diagnosis: { shortfalls, revision: '' }, competitors: [], limit: 9 };
}

describe('the real 135M model', () => {
  it('writes at least one usable line for most of eight tables, and says nothing of the example', async (context) => {
    await needModel(context, id);
    const model = await connectModel(generatorWorker(), { model: id });
    const roles = promptedRoles(model);
    expect(roles.reviser.id).toMatch(/^prompted\(SmolLM2-135M-Instruct@.*\)\/compact$/);
    const outcomes = await roles.reviser.revise(tables.map(taskOf), view);
    const usable = outcomes.filter((outcome) => outcome.ok);
    expect(usable.length).toBeGreaterThanOrEqual(5);
    for (const outcome of usable) {
      const texts = outcome.value.revised.map((key) => key.text);
      expect(texts.join(' ')).not.toMatch(/sourdough|starter|yeast/i);
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.every((text) => text.length <= 400)).toBe(true);
      expect(outcome.usage.calls).toBe(1);
    }
  }, 300_000);
});

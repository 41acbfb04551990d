import { describe, expect, it } from 'vitest';
import { guardReport, meanGain, shortened, worseQueries } from '../../../src/evolve/guard.ts';
import { keySetsAt } from '../../../src/keys/lifetimes.ts';
import { openIndex } from '../../../src/evolve/open-index.ts';
import type { EvolutionQuery } from '../../../src/keys/types.ts';
import type { DocumentHit } from '../../../src/retrieve/types.ts';
import { promptedRoles } from '../../../src/roles/prompted/roles.ts';
import { badModel, badWriters } from './bad-models.ts';
import { kitchen } from './kitchen.ts';

const documents = ['a', 'b', 'c'].map((id) => ({ id, text: `text of ${id}` }));
const keySets = keySetsAt([], documents, 0);
const ranking = (...ids: string[]): DocumentHit[] =>
  ids.map((documentId, i) => ({
    documentId,
    score: 10 - i,
    rank: i + 1,
    keyId: keySets.get(documentId)!.original.id,
    components: {},
  }));
const heldOut: EvolutionQuery[] = [
  { id: '1', text: 'one', kind: 'simulated', sourceDocumentId: 'a' },
  { id: '2', text: 'two', kind: 'simulated', sourceDocumentId: 'b' },
];

describe('guard', () => {
  it('measures mean nDCG@10 of the one source document', () => {
    // a at rank 1 → 1; b at rank 3 → 1/log2(4) = .5
    expect(meanGain(heldOut, [ranking('a', 'b'), ranking('a', 'c', 'b')])).toBe(0.75);
    expect(meanGain(heldOut, [ranking('b'), []])).toBe(0);
    expect(meanGain([], [])).toBe(0);
  });

  it('holds within the tolerance and not beyond', () => {
    expect(guardReport(heldOut, 0.5, 0.496, 0.005, []).held).toBe(true);
    expect(guardReport(heldOut, 0.5, 0.494, 0.005, []).held).toBe(false);
  });

  it('shortens a query to every other of its words and to the rest, and leaves one word alone', () => {
    const query = (text: string) => ({ ...heldOut[0], text });
    expect(shortened([query('How do I rise, dough?'), query('yeast')])).toEqual([
      { id: '1/0', text: 'How I dough', kind: 'simulated', sourceDocumentId: 'a' },
      { id: '1/1', text: 'do rise', kind: 'simulated', sourceDocumentId: 'a' },
    ]);
    expect(shortened([query('發酵麵團')]).map(({ text }) => text)).toEqual(['發酵', '麵團']);
  });

  it('lists what got worse, the largest loss first, with what overtook it and by which key', () => {
    const before = [ranking('a', 'b'), ranking('b', 'a')];
    const after = [ranking('c', 'a', 'b'), ranking('c', 'a')];
    const worse = worseQueries(heldOut, before, after, keySets);
    expect(
      worse.map((w) => [w.query, w.before, w.after, w.overtakenBy?.documentId, w.overtakenBy?.keyText]),
    ).toEqual([
      ['two', 1, 0, 'c', 'text of c'],
      ['one', 1, 2, 'c', 'text of c'],
    ]);
  });
});

describe('generated keys that hold on whole held-out queries alone', () => {
  const evolved = async (guard: { rollback: boolean }, expansion: boolean) => {
    const roles = promptedRoles(badModel(badWriters(kitchen)['random text']), { judge: 'model' });
    const index = await openIndex('nonsense', { roles });
    await index.add(kitchen);
    for await (const _ of index.evolve({ batch: 32, guard, expansion }));
    const { summary } = (await index.versions())[1];
    const keys = (await Promise.all(kitchen.map(({ id }) => index.keys(id)))).flat();
    const kinds = new Set(keys.map(({ kind }) => kind));
    return { report: summary?.guard, kinds: [...kinds].sort(), index };
  };

  it('go, and leave the expansion keys', async () => {
    const { report, kinds } = await evolved({ rollback: true }, true);
    expect(report).toMatchObject({ before: 1, after: 1, held: false, undone: 'generated' });
    expect(report?.shortened?.after).toBeLessThan((report?.shortened?.before ?? 0) - 0.005);
    expect(report?.worse[0].overtakenBy?.keyText).toMatch(/\w/);
    expect(kinds).toEqual(['expansion', 'original']);
  });

  it('go without a trace where there is nothing else', async () => {
    const { report, kinds, index } = await evolved({ rollback: true }, false);
    expect(report?.undone).toBe('all');
    expect(kinds).toEqual(['original']);
    const searches = ['boil', 'hot water and dough'];
    expect(await index.rankings(searches)).toEqual(await index.rankings(searches, { version: 0 }));
  });

  it('stay, and are told, where undoing is not asked for', async () => {
    const { report, kinds } = await evolved({ rollback: false }, false);
    expect(report).toMatchObject({ before: 1, after: 1, held: false });
    expect(report).not.toHaveProperty('undone');
    expect(kinds).toContain('generated');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeExpansionKey, makeGeneratedKey } from '../../../src/keys/key-id.ts';
import { aliveAt, keySetsAt, planRollback } from '../../../src/keys/lifetimes.ts';
import type { IndexKey, KeyRecord } from '../../../src/keys/types.ts';

const documents = ['a', 'b', 'c'].map((id) => ({ id, text: `text of ${id}` }));
const key = (documentId: string, text: string): IndexKey =>
  makeGeneratedKey(documentId, { text, form: 'question' }, { by: 'reviser' });
const universe = documents.flatMap(({ id }) => [
  ...[1, 2, 3].map((n) => key(id, `question ${n}`)),
  makeExpansionKey(id, ['alpha', 'beta']),
  makeExpansionKey(id, ['beta', 'gamma']),
]);

/** What a store does with one commit, written down naively. */
function commit(
  records: readonly KeyRecord[],
  version: number,
  born: readonly KeyRecord[],
  died: readonly string[],
) {
  const closed = records.map((record) =>
    record.died === null && died.includes(record.id) ? { ...record, died: version } : record,
  );
  return [...closed, ...born];
}

const ids = (records: readonly KeyRecord[]) => records.map((record) => record.id).sort();

/** Each version is the set of keys that live in it; the records follow from the changes between them. */
const history = fc
  .array(fc.uniqueArray(fc.integer({ min: 0, max: universe.length - 1 })), { minLength: 1, maxLength: 8 })
  .map((states) => {
    let records: KeyRecord[] = [];
    let living = new Set<string>();
    states.forEach((state, index) => {
      const version = index + 1;
      const wanted = new Set(state.map((i) => universe[i].id));
      const born = universe
        .filter(({ id }) => wanted.has(id) && !living.has(id))
        .map((born) => ({ ...born, born: version, died: null }));
      records = commit(
        records,
        version,
        born,
        [...living].filter((id) => !wanted.has(id)),
      );
      living = wanted;
    });
    const sets = [[], ...states.map((state) => state.map((i) => universe[i].id).sort())];
    return { records, sets, current: states.length };
  });

describe('lifetimes', () => {
  it('reconstructs every version', () => {
    fc.assert(
      fc.property(history, ({ records, sets }) => {
        sets.forEach((set, version) => expect(ids(aliveAt(records, version))).toEqual(set));
      }),
    );
  });

  it('rolls back to a new version that equals the target and leaves every old one as it was', () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ records, sets, current }, seed) => {
        const target = seed % (current + 1);
        const { born, died } = planRollback(records, current, target);
        const after = commit(records, current + 1, born, died);
        expect(ids(aliveAt(after, current + 1))).toEqual(sets[target]);
        sets.forEach((set, version) => expect(ids(aliveAt(after, version))).toEqual(set));
        expect(born.every((record) => record.born === current + 1 && record.died === null)).toBe(true);
      }),
    );
  });

  it('undoes a rollback by another', () => {
    fc.assert(
      fc.property(history, fc.nat(), ({ records, sets, current }, seed) => {
        const first = planRollback(records, current, seed % (current + 1));
        const after = commit(records, current + 1, first.born, first.died);
        const second = planRollback(after, current + 1, current);
        expect(ids(aliveAt(commit(after, current + 2, second.born, second.died), current + 2))).toEqual(
          sets[current],
        );
      }),
    );
  });

  it('plans nothing for the version that is current', () => {
    const records = [{ ...universe[0], born: 1, died: null }];
    expect(planRollback(records, 1, 1)).toEqual({ born: [], died: [] });
  });

  it.each([-1, 3, 0.5, Number.NaN])('refuses version %s of an index that has versions 0 to 2', (target) => {
    expect(() => planRollback([], 2, target)).toThrowError(
      expect.objectContaining({ code: 'version-not-found' }),
    );
  });
});

describe('keySetsAt', () => {
  const [first, second] = [key('a', 'first'), key('a', 'second')];
  const expansion = makeExpansionKey('a', ['alpha']);
  const records: KeyRecord[] = [
    { ...second, born: 2, died: null },
    { ...first, born: 1, died: null },
    { ...expansion, born: 1, died: 2 },
    { ...key('gone', 'key of a removed document'), born: 1, died: null },
  ];

  it('has original keys alone in version 0, one set per document in order', () => {
    const sets = keySetsAt(records, documents, 0);
    expect([...sets.keys()]).toEqual(['a', 'b', 'c']);
    expect([...sets.values()].every((set) => set.generated.length === 0 && !set.expansion)).toBe(true);
    expect(sets.get('b')?.original.text).toBe('text of b');
  });

  it('orders generated keys by birth, keeps the expansion key apart, and gives plain keys', () => {
    expect(keySetsAt(records, documents, 1).get('a')).toMatchObject({ generated: [first], expansion });
    expect(keySetsAt(records, documents, 2).get('a')?.generated).toEqual([first, second]);
    expect(keySetsAt(records, documents, 2).get('a')).not.toHaveProperty('expansion');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, locationOf, views } from '../../../src/app/state/address.ts';
import { bytes, change, duration, measure, plural } from '../../../src/app/words/format.ts';
import { keyStories } from '../../../src/app/words/key-stories.ts';
import type { KeyRecord, Revision, Verdict } from '../../../src/keys/types.ts';

describe('numbers in words', () => {
  it('prints measures and their changes as reports do', () => {
    expect([measure(0.5871), measure(1), measure(0)]).toEqual(['.587', '1.000', '.000']);
    expect([change(0.0213), change(-0.1), change(0.0004)]).toEqual(['+.021', '−.100', '±0']);
  });

  it('prints counts, times and sizes', () => {
    expect([plural(1, 'note'), plural(1200, 'search', 'searches')]).toEqual(['1 note', '1,200 searches']);
    expect([duration(0.2), duration(75), duration(600), duration(7200)]).toEqual([
      'under a second',
      '75 seconds',
      '10 minutes',
      '2.0 hours',
    ]);
    expect([bytes(12), bytes(45_600), bytes(3_200_000)]).toEqual(['12 B', '46 KB', '3.2 MB']);
  });
});

describe('addresses', () => {
  it('bring back the place that they were made from', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...views),
        fc.string({ unit: 'grapheme' }),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.constantFrom('text' as const, 'keys' as const),
        (view, query, document, side) => {
          expect(locationOf(hashOf({ view, query, document, side }))).toEqual({
            view,
            query,
            document,
            side,
          });
        },
      ),
    );
  });

  it('that nobody made lead to the search', () => {
    for (const hash of ['', '#', '#/nowhere?x', '#///']) expect(locationOf(hash).view).toBe('search');
  });
});

describe('the story of keys', () => {
  const key = (id: string, born: number, died: number | null): KeyRecord => ({
    id,
    documentId: 'd',
    kind: 'generated',
    text: id,
    origin: { by: 'reviser', form: 'heading' },
    born,
    died,
  });
  const verdict = (keyId: string, passed: boolean): Verdict => ({
    keyId,
    text: keyId,
    form: 'heading',
    isNew: true,
    passed,
  });
  const revision = (id: string, verdicts: Verdict[]): Revision => ({
    id,
    runId: 'r',
    iteration: 1,
    documentId: 'd',
    version: 1,
    diagnosis: null,
    verdicts,
    accepted: true,
    stale: [],
    evidence: [],
    after: [],
  });

  it('says since when a key lives, which died last, and the last verdict on each', () => {
    const records = [key('a', 1, 2), key('b', 1, null), key('c', 2, 4), key('a', 4, null)];
    const { living, gone, revisions } = keyStories([records[3], records[1]], {
      records,
      revisions: [revision('first', [verdict('a', false)]), revision('second', [verdict('a', true)])],
    });
    expect(living.map(({ key: { id }, born }) => [id, born])).toEqual([
      ['a', 4],
      ['b', 1],
    ]);
    expect(living[0].verdict?.passed).toBe(true);
    expect(gone.map(({ key: { id }, died }) => [id, died])).toEqual([
      ['c', 4],
      ['a', 2],
    ]);
    expect(revisions.map(({ id }) => id)).toEqual(['second', 'first']);
  });
});

import { expect, test } from 'vitest';
import type { IndexKey, KeySet } from '../../../src/keys/types.ts';
import { lessonOf } from '../../../src/roles/teaching.ts';
import { key, record } from './simple-view.ts';

const set = (generated: readonly IndexKey[] = []): KeySet => record('Oranges grow', { generated }).keys;
const taught = (id: string): IndexKey => ({ ...key(id, id), origin: { by: 'teaching', form: 'search' } });

test('a result opened from rank 4 or below makes the person’s own words a proposal', () => {
  const lesson = lessonOf({ query: ' citrus \n farms ', rank: 4, keys: set([key('k1', 'a')]), limit: 9 });
  expect(lesson?.query).toMatchObject({ text: 'citrus farms', kind: 'observed', sourceDocumentId: 'd' });
  expect(lesson?.proposal).toEqual({ keep: ['k1'], revised: [{ text: 'citrus farms', form: 'search' }] });
  expect(lesson?.diagnosis.shortfalls[0].cause).toContain('rank 4');
  expect(lessonOf({ query: 'citrus farms', rank: 3, keys: set(), limit: 9 })).toBeNull();
});

test('no words, too many, or words that are a key already teach nothing', () => {
  const none = (query: string) =>
    lessonOf({ query, rank: 9, keys: set([key('k1', 'Citrus farms')]), limit: 9 });
  expect(none('')).toBeNull();
  expect(none(' … ')).toBeNull();
  expect(none('x'.repeat(500))).toBeNull();
  expect(none('citrus FARMS?')).toBeNull();
  expect(none('oranges grow')).toBeNull();
});

test('in a full set the oldest key that no person gave makes room; a person’s words are never pushed out', () => {
  const full = set([taught('t1'), key('k1', 'a'), key('k2', 'b')]);
  expect(lessonOf({ query: 'new', rank: 5, keys: full, limit: 3 })?.proposal.keep).toEqual(['t1', 'k2']);
  expect(lessonOf({ query: 'new', rank: 5, keys: set([taught('t1')]), limit: 1 })).toBeNull();
});

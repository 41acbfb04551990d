import { wholeKeySet, type Proposal, type ProposedKey } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { normaliseKeyText } from '../../keys/normalise.ts';
import { succeeded } from '../outcome.ts';
import type { Reviser, RevisionTask } from '../types.ts';
import {
  acronymKeys,
  headingKeys,
  identifierKey,
  passageKeys,
  sentenceKeys,
  type Sources,
} from './candidates.ts';
import { lowSearches } from './evidence.ts';
import { extractiveId, gapsOf, keyTerms } from './gaps.ts';

/** Takes keys from the text itself: nothing is written, so nothing can be invented. */
export function createTextReviser(options: { readonly embedderWords: number }): Reviser {
  return {
    id: extractiveId(options.embedderWords),
    async revise(tasks, view, signal) {
      return tasks.map((task) => {
        signal?.throwIfAborted();
        return succeeded(reviseFromText(task, view, options.embedderWords));
      });
    },
  };
}

/**
 * Keeps every generated key that was not diagnosed, fills the free places with keys from the text, and gives up a
 * diagnosed key only for one that takes its place.
 */
export function reviseFromText(task: RevisionTask, view: CollectionView, embedderWords: number): Proposal {
  const { record, diagnosis, limit } = task;
  const diagnosed = new Set(diagnosis.shortfalls.map((shortfall) => shortfall.key));
  const good = record.keys.generated.filter((key) => !diagnosed.has(key.id)).map((key) => key.id);
  const doubtful = record.keys.generated.filter((key) => diagnosed.has(key.id)).map((key) => key.id);
  const keep = good.slice(0, limit);
  const revised = newKeys(task, view, embedderWords).slice(0, limit - keep.length);
  const room = limit - keep.length - revised.length;
  const spared = doubtful.slice(Math.min(doubtful.length, revised.length)).slice(0, room);
  return { keep: [...keep, ...spared], revised };
}

function newKeys(task: RevisionTask, view: CollectionView, embedderWords: number): ProposedKey[] {
  const { record, diagnosis } = task;
  const known = keyTerms(record, view);
  const wanted = new Set(lowSearches(record).flatMap(({ query }) => [...view.terms(query.text).keys()]));
  const sources: Sources = { record, view, gaps: gapsOf(record, known, view, embedderWords), wanted };
  const originalOnly = diagnosis.shortfalls.every((shortfall) => shortfall.key === record.keys.original.id);
  const covering = diagnosis.shortfalls.some((shortfall) => shortfall.key === wholeKeySet);
  const candidates = [
    ...identifierKey(sources),
    ...acronymKeys(sources, 3),
    ...(originalOnly ? [] : headingKeys(sources, covering ? 2 : 1)),
    ...(originalOnly ? [] : sentenceKeys(sources, covering ? 3 : 1)),
    ...passageKeys(sources, embedderWords, task.limit),
  ];
  return distinct(candidates, [record.keys.original.text, ...record.keys.generated.map((key) => key.text)]);
}

function distinct(candidates: readonly ProposedKey[], taken: readonly string[]): ProposedKey[] {
  const seen = new Set(taken.map(normaliseKeyText));
  return candidates.filter((key) => {
    const form = normaliseKeyText(key.text);
    if (form === '' || seen.has(form)) return false;
    seen.add(form);
    return true;
  });
}

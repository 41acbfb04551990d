import { mapPaced } from '../../base/pacer.ts';
import { wholeKeySet, type FeedbackRecord, type Proposal, type ProposedKey } from '../../keys/types.ts';
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
import { defaultRules, extractiveId, gapsOf, keyTerms, type RuleOptions } from './gaps.ts';

/** Takes keys from the text itself: nothing is written, so nothing can be invented. */
export function createTextReviser(rules: RuleOptions = defaultRules): Reviser {
  return {
    id: extractiveId(rules),
    async revise(tasks, view, signal) {
      return mapPaced(tasks, (task) => succeeded(reviseFromText(task, view, rules)), signal);
    },
  };
}

/**
 * Keeps every generated key that was not diagnosed, fills the free places with keys from the text, and gives up a
 * diagnosed key only for one that takes its place.
 */
export function reviseFromText(
  task: RevisionTask,
  view: CollectionView,
  rules: RuleOptions = defaultRules,
): Proposal {
  const { record, diagnosis, limit } = task;
  const diagnosed = new Set(diagnosis.shortfalls.map((shortfall) => shortfall.key));
  const good = record.keys.generated.filter((key) => !diagnosed.has(key.id)).map((key) => key.id);
  const doubtful = record.keys.generated.filter((key) => diagnosed.has(key.id)).map((key) => key.id);
  const keep = good.slice(0, limit);
  const revised = newKeys(task, view, rules).slice(0, limit - keep.length);
  const room = limit - keep.length - revised.length;
  const spared = doubtful.slice(Math.min(doubtful.length, revised.length)).slice(0, room);
  return { keep: [...keep, ...spared], revised };
}

function newKeys(task: RevisionTask, view: CollectionView, rules: RuleOptions): ProposedKey[] {
  const { record, diagnosis } = task;
  const sources = sourcesOf(record, view, rules);
  const originalOnly = diagnosis.shortfalls.every((shortfall) => shortfall.key === record.keys.original.id);
  const covering = diagnosis.shortfalls.some((shortfall) => shortfall.key === wholeKeySet);
  const [names, passages] = gapKeys(sources, rules, task.limit);
  const headings = originalOnly ? [] : headingKeys(sources, covering ? 2 : 1);
  const sentences = originalOnly ? [] : sentenceKeys(sources, covering ? 3 : 1, headings);
  const candidates = [...names, ...headings, ...sentences, ...passages];
  return distinct(candidates, [record.keys.original.text, ...record.keys.generated.map((key) => key.text)]);
}

/** Keys that close the gaps of the text, whoever writes the others: names and acronyms spelled out, unread passages. */
export function closeGaps(
  { record, limit }: Pick<RevisionTask, 'record' | 'limit'>,
  view: CollectionView,
  rules: RuleOptions,
): ProposedKey[] {
  return gapKeys(sourcesOf(record, view, rules), rules, limit).flat();
}

function sourcesOf(record: FeedbackRecord, view: CollectionView, rules: RuleOptions): Sources {
  const wanted = new Set(lowSearches(record).flatMap(({ query }) => [...view.terms(query.text).keys()]));
  return { record, view, gaps: gapsOf(record, keyTerms(record, view), view, rules), wanted };
}

function gapKeys(sources: Sources, rules: RuleOptions, limit: number): [ProposedKey[], ProposedKey[]] {
  return [
    [...identifierKey(sources), ...acronymKeys(sources, 3)],
    passageKeys(sources, rules.embedderWords, limit),
  ];
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

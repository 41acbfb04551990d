import { mapPaced } from '../../base/pacer.ts';
import { wholeKeySet, type Diagnosis, type FeedbackRecord, type Shortfall } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { succeeded } from '../outcome.ts';
import type { Diagnoser } from '../types.ts';
import { indistinctKeys, lowRank, lowSearches, type IndistinctKey, type LowSearch } from './evidence.ts';
import { defaultRules, extractiveId, gapsOf, keyTerms, type Gaps, type RuleOptions } from './gaps.ts';
import { words } from './text.ts';

/**
 * Diagnosis by rule. A document has a shortfall where a search with a known answer ranked it low or missed it, where a
 * generated key is indistinct, or where its text holds what no key says in words that people type (run-together names,
 * acronyms that another document spells out, text beyond what an embedder reads). Else null.
 */
export function createRuleDiagnoser(rules: RuleOptions = defaultRules): Diagnoser {
  return {
    id: extractiveId(rules),
    async diagnose(records, view, signal) {
      return mapPaced(records, (record) => succeeded(diagnoseByRule(record, view, rules)), signal);
    },
  };
}

export function diagnoseByRule(
  record: FeedbackRecord,
  view: CollectionView,
  rules: RuleOptions = defaultRules,
): Diagnosis | null {
  const known = keyTerms(record, view);
  const low = lowSearches(record);
  const indistinct = indistinctKeys(record);
  const gaps = gapsOf(record, known, view, rules);
  const lacking = lackingWords(low, known, view);
  const coverage = [
    ...(low.length > 0 ? [causeOfLow(low, lacking)] : []),
    ...(gaps.unwritten ? ['No key says what it is good for in other words than its own.'] : []),
  ];
  const text = causesOfGaps(gaps);
  const shortfalls: Shortfall[] = [
    ...(coverage.length > 0 ? [{ key: wholeKeySet, cause: coverage.join(' ') }] : []),
    ...indistinct.map((key) => ({ key: key.keyId, cause: causeOfIndistinct(key) })),
    ...(text.length > 0 ? [{ key: record.keys.original.id, cause: text.join(' ') }] : []),
  ];
  if (shortfalls.length === 0) return null;
  return { shortfalls, revision: guidance(low, indistinct, gaps, lacking) };
}

/** Words of the low searches that no key of the document has, rarest first, at most eight. */
function lackingWords(
  low: readonly LowSearch[],
  known: ReadonlyMap<string, number>,
  view: CollectionView,
): string[] {
  const rarity = new Map<string, number>();
  for (const { query } of low) {
    for (const word of words(query.text.toLowerCase())) {
      const terms = [...view.terms(word).keys()];
      if (terms.length === 0 || terms.some((term) => known.has(term))) continue;
      rarity.set(word, Math.max(...terms.map((term) => view.idf(term))));
    }
  }
  return [...rarity]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8)
    .map(([word]) => word);
}

function causeOfLow(low: readonly LowSearch[], lacking: readonly string[]): string {
  const { query, rank } = low[0];
  const where = rank === 0 ? 'did not find it' : `found it only at rank ${rank}`;
  const more = low.length > 1 ? ` So it is with ${low.length - 1} more.` : '';
  const words = lacking.length > 0 ? ` No key has the words ${lacking.join(', ')}.` : '';
  return `The search ${quoted(query.text)} should lead to this document but ${where}.${more}${words}`;
}

function causeOfIndistinct(key: IndistinctKey): string {
  return (
    `${key.searches} searches met this key beside keys of ${key.others} other documents, ` +
    `never before rank ${key.bestRank}: it does not tell this document from those.`
  );
}

function causesOfGaps(gaps: Gaps): string[] {
  const causes: string[] = [];
  if (gaps.names.length > 0)
    causes.push(
      `Names such as ${some(gaps.names.map(({ name }) => name))} run words together that people type apart.`,
    );
  for (const { acronym, longForm } of gaps.acronyms.slice(0, 3))
    causes.push(
      `It writes ${acronym} and never ${quoted(longForm)}, which another document says it stands for.`,
    );
  if (gaps.unread > 0)
    causes.push(`It has ${gaps.unread} words; an embedder reads only the beginning of so long a text.`);
  return causes;
}

function guidance(
  low: readonly LowSearch[],
  indistinct: readonly IndistinctKey[],
  gaps: Gaps,
  lacking: readonly string[],
): string {
  const advice: string[] = [];
  if (low.length > 0)
    advice.push(
      `Add keys for what these searches ask, so that the document comes before rank ${lowRank}: ` +
        `${low
          .slice(0, 3)
          .map(({ query }) => quoted(query.text))
          .join(', ')}.`,
    );
  if (lacking.length > 0) advice.push(`Say it with ${lacking.join(', ')} where the text supports that.`);
  if (indistinct.length > 0) advice.push('Replace the indistinct keys by what only this document says.');
  if (gaps.unwritten) advice.push('Say what it is good for in the words of people who need it.');
  if (gaps.names.length > 0) advice.push('Spell the run-together names out as words.');
  if (gaps.acronyms.length > 0) advice.push('Spell the acronyms out.');
  if (gaps.unread > 0) advice.push('Add passages from the part that an embedder does not read.');
  return advice.join(' ');
}

function some(names: readonly string[]): string {
  return names.slice(0, 3).join(', ');
}

function quoted(text: string): string {
  return `“${text.length > 120 ? `${text.slice(0, 119).toWellFormed()}…` : text}”`;
}

import type { FeedbackRecord, ProposedKey } from '../../keys/types.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import type { Gaps } from './gaps.ts';
import type { SpelledAcronym } from './names.ts';
import {
  countWords,
  firstSentenceOf,
  firstWords,
  isUnspaced,
  passagesOf,
  readable,
  sectionsOf,
  sentencesOf,
  tidy,
  words,
} from './text.ts';
import { idfWeights, mass, mostTelling, salience, type Candidate } from './weights.ts';

/** A sentence key's bounds in words; shorter says too little, longer is a passage. */
const sentenceWords = { least: 4, most: 40 };
/** A document of fewer words is about what one sentence of it says: the original key serves. */
const shortDocument = 40;
/** A key that holds more of the document's weight than this is the original key over again. */
const mostOfDocument = 0.6;
/** Sentences weighed per document. */
const mostSentences = 400;

/** All that the rules can say about a document, in the order in which it is worth a place. */
export interface Sources {
  readonly record: FeedbackRecord;
  readonly view: CollectionView;
  readonly gaps: Gaps;
  /** Terms of searches that ranked the document low. */
  readonly wanted: ReadonlySet<string>;
}

/**
 * One key that lists the document's run-together names as words, its title first. A name that only says the title again,
 * or another name before it, with an `id` behind it says nothing.
 */
export function identifierKey({ record, gaps }: Sources): ProposedKey[] {
  if (gaps.names.length === 0) return [];
  const spelled = new Map(gaps.names.map(({ name, words }) => [name, words]));
  const lead = spelled.get(record.title ?? '') ?? tidy(record.title ?? '');
  const listed = lead === '' ? [] : [lead];
  for (const words of new Set(spelled.values())) {
    if (!listed.includes(words.replace(/ id$/, ''))) listed.push(words);
  }
  return [{ text: listed.join(', '), form: 'identifier' }];
}

/** The sentence around an acronym, with the long form beside it. */
export function acronymKeys({ record, view, gaps, wanted }: Sources, limit: number): ProposedKey[] {
  const asked = (one: SpelledAcronym) =>
    [...view.terms(one.longForm).keys()].filter((term) => wanted.has(term));
  const ordered = [...gaps.acronyms].sort((a, b) => asked(b).length - asked(a).length).slice(0, limit);
  const sentences = sentencesOf(readable(record.keys.original.text)).slice(0, mostSentences);
  return ordered.map(({ acronym, longForm }) => {
    const shape = new RegExp(`(?<![\\p{L}\\p{N}])${acronym}(?![\\p{L}\\p{N}])`, 'u');
    const spelled = `${longForm} (${acronym})`;
    const sentence = sentences.find((one) => shape.test(one));
    const around = sentence === undefined ? acronym : window(sentence, shape, 15);
    return {
      text: withTitle(
        record,
        around.replace(shape, () => spelled),
      ),
      form: 'acronym',
    };
  });
}

/** At most `reach` words on either side of the first match. */
function window(sentence: string, shape: RegExp, reach: number): string {
  const parts = sentence.split(' ');
  const at = parts.findIndex((part) => shape.test(part));
  return at < 0 ? sentence : parts.slice(Math.max(0, at - reach), at + reach + 1).join(' ');
}

/** Passages from beyond what an embedder reads of the original key; the most telling where there are many. */
export function passageKeys(sources: Sources, size: number, limit: number): ProposedKey[] {
  const { record, gaps } = sources;
  if (gaps.unread === 0) return [];
  const lead = countWords(titleOf(record));
  const passages = passagesOf(readable(record.text), Math.max(40, size - lead)).slice(1);
  return pick(passages, sources, limit).map((text) => ({ text: withTitle(record, text), form: 'passage' }));
}

/** Headings with the first sentence below them: the document's own, else the path that leads to it. */
export function headingKeys(sources: Sources, limit: number): ProposedKey[] {
  const { record } = sources;
  const text = readable(record.text);
  const sections = sectionsOf(text);
  const path = record.headings?.at(-1);
  const first = firstSentenceOf(text);
  if (sections.length === 0 && path !== undefined && path !== record.title && first !== undefined)
    sections.push({ heading: path, firstSentence: first });
  const texts = sections.map(({ heading, firstSentence }) => `${heading}: ${firstWords(firstSentence, 30)}`);
  return pick(texts, sources, limit).map((key) => ({ text: withTitle(record, key), form: 'heading' }));
}

/** The sentences that tell most, unlike each other and the keys beside them. */
export function sentenceKeys(sources: Sources, limit: number, beside: readonly ProposedKey[]): ProposedKey[] {
  const { record } = sources;
  const text = readable(record.text);
  if (countWords(text) < shortDocument) return [];
  const sentences = [...new Set(sentencesOf(text))]
    .map((sentence) => firstWords(sentence, sentenceWords.most))
    .filter((sentence) => countWords(sentence) >= sentenceWords.least);
  return pick(sentences, sources, limit, beside).map((key) => ({
    text: withTitle(record, key),
    form: 'sentence',
  }));
}

function pick(
  texts: readonly string[],
  { record, view, wanted }: Sources,
  limit: number,
  beside: readonly ProposedKey[] = [],
): string[] {
  const text = readable(record.keys.original.text);
  const documentTerms = view.terms(text);
  const bound = mostOfDocument * mass(idfWeights(text, view));
  const candidates: Candidate<string>[] = [];
  for (const item of texts.slice(0, mostSentences)) {
    const weights = idfWeights(item, view);
    if (mass(weights) <= bound)
      candidates.push({ item, weights, value: salience(weights, documentTerms, wanted) });
  }
  const existing = [...record.keys.generated, ...beside].map((key) => idfWeights(key.text, view));
  return mostTelling(candidates, limit, existing);
}

function titleOf(record: FeedbackRecord): string {
  return firstWords(tidy(record.title ?? ''), 12);
}

/** A sentence torn from its document says "it"; the title says what that is. */
function withTitle(record: FeedbackRecord, text: string): string {
  const title = titleOf(record);
  if (title === '' || spoken(text).includes(spoken(title))) return text;
  return `${title}${isUnspaced(title) ? '：' : ': '}${text}`;
}

/** Words between spaces, so that one text holds another only by whole words. */
function spoken(text: string): string {
  return ` ${words(text.toLowerCase()).join(' ')} `;
}

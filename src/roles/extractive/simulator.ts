import { mapPaced } from '../../base/pacer.ts';
import { frequencyOf, subtitleWords } from '../../corpus/word-frequency.ts';
import { createRandom, type Random } from '../../base/random.ts';
import type { CollectionView } from '../../retrieve/types.ts';
import { succeeded } from '../outcome.ts';
import type { SimulationTask, Simulator } from '../types.ts';
import { spelledAcronyms, spelledNames } from './names.ts';
import { isUnspaced, readable, sentencesOf, words } from './text.ts';
import { idfWeights, mass } from './weights.ts';

/** Sentences a query may be drawn from. */
const mostSentences = 200;
const queryWords = { least: 2, most: 7 };

/**
 * Known-item queries without a model, after Azzopardi, de Rijke and Balog (SIGIR 2007): words drawn from one telling
 * sentence with probability by idf, kept in their order, names spelled out and acronyms exchanged for their long forms
 * now and then, as people do who do not know how the text writes them. Seeded by the task.
 */
export function createTextSimulator(): Simulator {
  return {
    id: 'extractive',
    async simulate(tasks, view, signal) {
      return mapPaced(tasks, (task) => succeeded(queriesFrom(task, view)), signal);
    },
  };
}

interface Drawable {
  readonly text: string;
  readonly weight: number;
}

export function queriesFrom(task: SimulationTask, view: CollectionView): string[] {
  const random = createRandom(task.seed);
  const text = readable(task.text);
  const sentences = sentencesOf(text)
    .slice(0, mostSentences)
    .map((sentence) => ({ text: sentence, weight: Math.sqrt(mass(idfWeights(sentence, view))) }))
    .filter(({ weight }) => weight > 0);
  if (task.title !== undefined && task.title !== '')
    sentences.push({ text: readable(task.title), weight: averageWeight(sentences) });
  const speech = paraphrases(text, view);
  const queries = new Set<string>();
  for (let attempt = 0; attempt < task.count * 4 && queries.size < task.count; attempt++) {
    const sentence = draw(sentences, random);
    if (sentence === undefined) break;
    const query = queryFrom(sentence.text, view, speech, random);
    if (query !== '') queries.add(query);
  }
  return [...queries];
}

function averageWeight(items: readonly Drawable[]): number {
  return items.length === 0 ? 1 : items.reduce((sum, item) => sum + item.weight, 0) / items.length;
}

/** How people say what the text writes in its own way. */
interface Speech {
  readonly text: string;
  readonly likelihood: number;
}

/** Nobody types a name with its underscores or humps who does not know it; an acronym is as likely as its long form. */
function paraphrases(text: string, view: CollectionView): ReadonlyMap<string, Speech> {
  const speech = new Map<string, Speech>();
  for (const { name, words: spelled } of spelledNames(text, view, 200))
    speech.set(name, { text: spelled, likelihood: 1 });
  for (const { acronym, longForm } of spelledAcronyms(text, new Map(), view))
    speech.set(acronym, { text: longForm, likelihood: 0.5 });
  return speech;
}

function queryFrom(
  sentence: string,
  view: CollectionView,
  speech: ReadonlyMap<string, Speech>,
  random: Random,
): string {
  const length = queryWords.least + random.integer(queryWords.most - queryWords.least + 1);
  if (isUnspaced(sentence)) return stretch(sentence, length, random);
  const seen = new Set<string>();
  const choices: { at: number; text: string; weight: number }[] = [];
  for (const [at, text] of words(sentence).entries()) {
    const word = text.toLowerCase();
    if (word.length < 2 || seen.has(word)) continue;
    seen.add(word);
    const weight = mass(idfWeights(text, view)) * rarity(word);
    if (weight > 0) choices.push({ at, text, weight });
  }
  if (!choices.some(({ text }) => /\p{L}{3}/u.test(text))) return '';
  const picked: { at: number; text: string }[] = [];
  let said = 0;
  while (said < length && choices.length > 0) {
    const choice = draw(choices, random);
    if (choice === undefined) break;
    choices.splice(choices.indexOf(choice), 1);
    const spoken = speech.get(choice.text);
    const text = spoken !== undefined && random.next() < spoken.likelihood ? spoken.text : choice.text;
    picked.push({ at: choice.at, text });
    said += text.split(' ').length;
  }
  if (said < queryWords.least && seen.size >= queryWords.least) return '';
  return picked
    .sort((a, b) => a.at - b.at)
    .map((word) => word.text)
    .join(' ')
    .toLowerCase();
}

/**
 * How rare a word is in English at large, in (0, 1]; 1 for a word that is not among the frequent ones. In a small collection
 * idf cannot tell `next` from `derailleur`; people do.
 */
function rarity(word: string): number {
  return Math.log(subtitleWords / Math.max(1, frequencyOf(word))) / Math.log(subtitleWords);
}

/** Where no spaces part the words, a query is a stretch of the sentence. */
function stretch(sentence: string, length: number, random: Random): string {
  const all = words(sentence);
  const start = random.integer(Math.max(1, all.length - length + 1));
  return all.slice(start, start + length).join('');
}

/** One item with probability by weight. */
function draw<T extends Drawable>(items: readonly T[], random: Random): T | undefined {
  let left = random.next() * items.reduce((sum, item) => sum + item.weight, 0);
  for (const item of items) {
    left -= item.weight;
    if (left < 0) return item;
  }
  return items.at(-1);
}

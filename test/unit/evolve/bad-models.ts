import { FakeLanguageModel } from '../../../src/backbone/fake-model.ts';
import type { CompletionRequest } from '../../../src/backbone/types.ts';
import { createRandom, type Random } from '../../../src/base/random.ts';
import type { Document } from '../../../src/corpus/types.ts';
import { words } from '../../../src/roles/extractive/text.ts';

/** What a deliberately bad writer says of a document; `own` are the words of the text that it was shown. */
export type BadWriter = (own: readonly string[], random: Random) => string[];

const linesPerAnswer = 4;
const perLine = { random: 7, flattery: 14, head: 4 };
const wordsOfACopy = 24;

const many = (line: () => string) => Array.from({ length: linesPerAnswer }, line);

/** Writers that harm as well as they can, made from the collection that they are to harm. */
export function badWriters(documents: readonly Document[]): Record<string, BadWriter> {
  const texts = documents.map(({ title, text }) => words(`${title ?? ''} ${text}`.toLowerCase()));
  const frequency = new Map<string, number>();
  for (const text of texts)
    for (const word of new Set(text))
      if (word.length > 3) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const vocabulary = [...frequency.keys()].sort();
  const popular = [...vocabulary].sort((a, b) => frequency.get(b)! - frequency.get(a)!).slice(0, 200);
  const pick = <T>(from: readonly T[], random: Random) => from[random.integer(from.length)];
  const drawn = (from: readonly string[], count: number, random: Random) =>
    Array.from({ length: count }, () => pick(from, random)).join(' ');
  return {
    'random text': (_, random) => many(() => drawn(vocabulary, perLine.random, random)),
    'copies of other documents': (_, random) =>
      many(() => {
        const text = pick(texts, random);
        const start = random.integer(Math.max(1, text.length - wordsOfACopy));
        return text.slice(start, start + wordsOfACopy).join(' ');
      }),
    'popular words': (_, random) => many(() => drawn(popular, perLine.flattery, random)),
    // The worst of the four: its own words carry a key through specificity and the judge, the others ride along.
    'its own first words, then popular ones': (own, random) =>
      many(() => `${own.slice(0, perLine.head).join(' ')} ${drawn(popular, perLine.flattery, random)}`),
  };
}

/** A small model that writes badly, and as a judge or in one digit says that everything is right. */
export function badModel(write: BadWriter, seed = 0): FakeLanguageModel {
  const answer = ({ messages, maxTokens }: CompletionRequest) => {
    if (maxTokens !== undefined && maxTokens <= 4) return '3';
    const asked = messages[messages.length - 1].content;
    const own = words(asked.replace(/^Text: /u, '').toLowerCase());
    return write(own, createRandom(`${seed}/${asked}`)).join('\n');
  };
  return new FakeLanguageModel({ id: 'bad', promptStyle: 'compact', answer });
}

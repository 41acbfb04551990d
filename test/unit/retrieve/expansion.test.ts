import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPacer } from '../../../src/base/pacer.ts';
import { createAnalyser } from '../../../src/corpus/analyser.ts';
import type { Analyser } from '../../../src/corpus/types.ts';
import { createRandom } from '../../../src/base/random.ts';
import { Bm25Index } from '../../../src/retrieve/bm25/bm25-index.ts';
import { Bm25Retriever } from '../../../src/retrieve/bm25/bm25-retriever.ts';
import { expand, type ExpansionOptions } from '../../../src/retrieve/bm25/expand.ts';
import { expansionTerms, makeOriginalKey } from '../../../src/keys/key-id.ts';
import { compareIds } from '../../../src/base/order.ts';
import { ReferenceBm25, wordAnalyser } from './reference.ts';

interface Text {
  readonly id: string;
  readonly text: string;
}

function indexOf(texts: readonly Text[], analyser: Analyser = wordAnalyser): Bm25Index {
  const index = new Bm25Index(analyser);
  for (const text of texts) index.add(makeOriginalKey(text));
  return index;
}

const expansionKeys = async (texts: readonly Text[], options?: ExpansionOptions) =>
  (await expand(indexOf(texts), createPacer(), options)).keys;

const words = [
  'river',
  'warm',
  'cold',
  'cat',
  'fish',
  'wind',
  'sleep',
  'swim',
  'stone',
  'light',
  'deep',
  'old',
];
const documents = Array.from({ length: 30 }, (_, i) => ({
  id: `d${i}`,
  text: Array.from(
    { length: 3 + (i % 9) },
    (_, w) => words[(i * 5 + w * w * (1 + (i % 3))) % words.length],
  ).join(' '),
}));

/** idf × weighted mean of ln(1 + tf) of every term in the neighbours, as design.md §5 says it. */
function referenceValues(id: string, neighbours: number): Map<string, number> {
  const keys = documents.map(makeOriginalKey);
  const reference = new ReferenceBm25(keys);
  const text = documents.find((document) => document.id === id)?.text ?? '';
  const near = keys
    .filter((key) => key.documentId !== id)
    .map((key) => ({ key, score: reference.rel(text, key) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareIds(a.key.documentId, b.key.documentId))
    .slice(0, neighbours);
  const total = near.reduce((sum, { score }) => sum + score, 0);
  const values = new Map<string, number>();
  for (const { key, score } of near) {
    for (const [term, count] of reference.frequencies(key)) {
      const value = (score / total) * Math.log(1 + count) * reference.idf(term);
      values.set(term, (values.get(term) ?? 0) + value);
    }
  }
  return values;
}

describe('expand', () => {
  it.each([
    [10, 40],
    [3, 5],
  ])('takes from %i neighbours the %i most telling terms', async (neighbours, terms) => {
    const keys = await expansionKeys(documents, { neighbours, terms, leftOut: new Set() });
    for (const { id } of documents) {
      const key = keys.get(id);
      expect(key).toMatchObject({ kind: 'expansion', documentId: id, origin: { by: 'expansion' } });
      const values = referenceValues(id, neighbours);
      const taken = expansionTerms(key?.text ?? '').map((term) => values.get(term));
      const best = [...values.values()].sort((a, b) => b - a).slice(0, terms);
      expect(taken).toEqual(best.map((value) => expect.closeTo(value, 5) as number));
    }
  });

  it('leaves out words that English says about anything, and those alone, unless told otherwise', async () => {
    const sides = [
      { id: 'a', text: 'derailleur keeps slipping when my chain is something old' },
      { id: 'b', text: 'derailleur chain slipping: when something keeps my cassette' },
    ];
    const terms = async (options?: ExpansionOptions) => {
      const { keys } = await expand(indexOf(sides, createAnalyser()), createPacer(), options);
      return expansionTerms(keys.get('a')?.text ?? '').sort();
    };
    expect(await terms()).toEqual(['cassett', 'chain', 'derailleur', 'slip']);
    expect(await terms({ leftOut: new Set(['chain']) })).toEqual(
      ['cassett', 'derailleur', 'keep', 'my', 'slip', 'someth', 'when'].sort(),
    );
  });

  it('gives none to a document that resembles no other', async () => {
    const keys = await expansionKeys([{ id: 'alone', text: 'zebra' }, ...documents]);
    expect(keys.has('alone')).toBe(false);
    expect(keys.size).toBe(documents.length);
    expect((await expansionKeys([])).size).toBe(0);
  });

  it('rejects with the reason of its signal', async () => {
    const retriever = await Bm25Retriever.create(documents.map(makeOriginalKey), { analyser: wordAnalyser });
    await expect(retriever.expansion(undefined, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('expand with a memory', () => {
  // Few words, so that documents tie and every change moves the statistics of all.
  const word = fc.constantFrom(...words);
  const id = fc.integer({ min: 0, max: 25 }).map((n) => `d${n}`);
  const change = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ id, text: fc.array(word, { maxLength: 8 }).map((w) => w.join(' ')) }),
    },
    { weight: 1, arbitrary: fc.record({ id, text: fc.constant(null) }) },
  );

  it('gives every document the key that it gives without, after any sequence of changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (rounds, anew) => {
          const texts = new Map(documents.slice(0, 20).map((document) => [document.id, document.text]));
          const present = () => Array.from(texts, ([id, text]) => makeOriginalKey({ id, text }));
          const options = { analyser: wordAnalyser };
          let retriever = await Bm25Retriever.create(present(), options);
          let memory = (await retriever.expansion()).memory;
          for (const round of rounds) {
            const before = present();
            for (const { id, text } of round) {
              if (text === null) texts.delete(id);
              else texts.set(id, text);
            }
            const after = new Set(present().map((key) => key.id));
            const removed = before.filter((key) => !after.has(key.id));
            // A memory serves the index that it was made from and one that was made anew.
            if (anew) retriever = await Bm25Retriever.create(present(), options);
            else await retriever.update({ added: present(), removed });
            const expansion = await retriever.expansion(memory);
            const whole = await (await Bm25Retriever.create(present(), options)).expansion();
            expect(new Map([...expansion.keys].sort())).toEqual(new Map([...whole.keys].sort()));
            memory = expansion.memory;
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('lets only new documents search, and those near what is gone', async () => {
    const random = createRandom('expansion');
    const topic = (n: number) =>
      Array.from({ length: 12 }, () => `t${n % 40}w${random.integer(30)}`).join(' ');
    const many = Array.from({ length: 1200 }, (_, n) => ({ id: `n${n}`, text: topic(n) }));
    const first = await expand(indexOf(many), createPacer());
    expect(first.searched).toBe(1200);
    const same = await expand(indexOf(many), createPacer(), {}, first.memory);
    expect(same.searched).toBe(0);
    const more = [...many.slice(1), { id: 'new', text: topic(7) }, { id: 'n5', text: topic(5) }].filter(
      ({ id }, i) => id !== 'n5' || i >= 1200,
    );
    const next = await expand(indexOf(more), createPacer(), {}, same.memory);
    expect(next.searched).toBeGreaterThan(1);
    expect(next.searched).toBeLessThan(120);
    expect(next.keys).toEqual((await expand(indexOf(more), createPacer())).keys);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SelfIndexError } from '../../../src/base/errors.ts';
import { noUsage } from '../../../src/keys/usage.ts';
import { combineJudges } from '../../../src/roles/judges/combined-judge.ts';
import { failed, succeeded } from '../../../src/roles/outcome.ts';
import type { Judge } from '../../../src/roles/types.ts';
import { simpleView } from './simple-view.ts';

const view = simpleView([]);
const paid = (calls: number) => ({ ...noUsage, calls });

/** A judge that reads its score off a text, at a place of its own; `x` there is no answer. One call a document. */
function reader(id: string, place: number): Judge & { readonly asked: string[] } {
  const asked: string[] = [];
  const read = (text: string) => {
    asked.push(text);
    return text[place] === 'x' ? null : (Number(text[place]) as 0 | 1 | 2 | 3);
  };
  return {
    id,
    asked,
    async faithfulness(tasks) {
      return tasks.map(({ keys }) => {
        const scores = keys.map(({ text }) => read(text));
        return scores.includes(null)
          ? failed('garbage', paid(1))
          : succeeded(
              scores.map((score) => ({ score: score ?? 0, reason: `says ${score}`, value: 9 })),
              paid(1),
            );
      });
    },
    async answerability(pairs) {
      return pairs.map(({ query }) => {
        const score = read(query);
        return score === null ? failed('garbage', paid(1)) : succeeded(score, paid(1));
      });
    },
  };
}

const task = (id: string, ...texts: string[]) => ({
  documentId: id,
  documentText: '',
  keys: texts.map((text) => ({ text, form: 'question' as const })),
});

test('the lowest score counts, with its reason; the id names every part', async () => {
  const judge = combineJudges([reader('a(1)', 0), reader('b', 1)]);
  expect(judge.id).toBe('combined(a(1) & b)');
  const [one, two] = await judge.faithfulness([task('d', '31', '23'), task('e', '33')], view);
  expect(one).toEqual(
    succeeded(
      [
        { score: 1, reason: 'b: says 1' },
        { score: 2, reason: 'a: says 2' },
      ],
      paid(2),
    ),
  );
  expect(two).toMatchObject({ ok: true, value: [{ score: 3 }], usage: { calls: 2 } });
});

test('what one gives 0 is not shown to the next; another key of the document still is', async () => {
  const [first, second] = [reader('a', 0), reader('b', 1)];
  const judge = combineJudges([first, second]);
  const outcomes = await judge.faithfulness([task('d', '03', '31'), task('e', '03')], view);
  expect(second.asked).toEqual(['31']);
  expect(outcomes).toMatchObject([
    { ok: true, value: [{ score: 0 }, { score: 1 }], usage: { calls: 2 } },
    { ok: true, value: [{ score: 0 }], usage: { calls: 1 } },
  ]);
});

test('no answer of one is no answer of all; what was paid is counted', async () => {
  const judge = combineJudges([reader('a', 0), reader('b', 1)]);
  expect(await judge.faithfulness([task('d', '33', '3x')], view)).toEqual([failed('b: garbage', paid(2))]);
  const pairs = ['3x', 'x3', '32'].map((query) => ({ documentId: 'd', documentText: '', query }));
  expect(await judge.answerability(pairs, view)).toEqual([
    failed('b: garbage', paid(2)),
    failed('a: garbage', paid(1)),
    succeeded(2, paid(2)),
  ]);
});

test('by mean, all are asked and the mean is rounded down', async () => {
  const judge = combineJudges([reader('a', 0), reader('b', 1), reader('c', 2)], 'mean');
  expect(judge.id).toBe('combined mean(a & b & c)');
  // (0 + 3 + 3) / 3 = 2; (1 + 2 + 2) / 3 = 1.67.
  const [outcome] = await judge.faithfulness([task('d', '033', '122')], view);
  expect(outcome.ok && outcome.value.map(({ score }) => score)).toEqual([2, 1]);
});

test('one judge, none, or one of them twice is refused', () => {
  for (const judges of [[], [reader('a', 0)], [reader('a', 0), reader('a', 1)]])
    expect(() => combineJudges(judges)).toThrow(SelfIndexError);
});

test('property: combining is taking the minimum, whatever the order', async () => {
  const text = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((scores) => scores.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 4 }), async (documents) => {
      const tasks = documents.map((texts, i) => task(`d${i}`, ...texts));
      for (const places of [
        [0, 1, 2],
        [2, 0, 1],
      ]) {
        const judge = combineJudges(places.map((place) => reader(`j${place}`, place)));
        const outcomes = await judge.faithfulness(tasks, view);
        expect(outcomes.map((one) => one.ok && one.value.map(({ score }) => score))).toEqual(
          documents.map((texts) => texts.map((scores) => Math.min(...[...scores].map(Number)))),
        );
      }
    }),
  );
});

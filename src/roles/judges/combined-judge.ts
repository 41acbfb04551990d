import { SelfIndexError } from '../../base/errors.ts';
import { addUsage, noUsage } from '../../keys/usage.ts';
import type { FaithfulnessScore, Usage } from '../../keys/types.ts';
import { failed, succeeded, together } from '../outcome.ts';
import type { Judge, Outcome } from '../types.ts';

type Score = FaithfulnessScore['score'];

/**
 * Several judges as one, named `combined(a & b)`. `minimum` (default): the lowest score counts, so whatever one of them
 * refuses is refused; a text that has a 0 is not shown to those that come after, so put the cheap ones first. `mean`, named
 * `combined mean(a & b)`: the mean of all, rounded down. Where one of them has no answer for a document, there is none.
 * The reason is that of the part with the lowest score, its name in front.
 * @throws SelfIndexError `invalid-argument` for fewer than two judges, or one of them twice
 */
export function combineJudges(judges: readonly Judge[], how: 'minimum' | 'mean' = 'minimum'): Judge {
  const ids = judges.map((judge) => judge.id);
  const twice = ids.find((id, i) => ids.indexOf(id) < i);
  if (judges.length < 2 || twice !== undefined)
    throw new SelfIndexError(
      'invalid-argument',
      twice === undefined
        ? 'To combine judges give at least two.'
        : `To combine judges give different ones: ${twice} is there twice.`,
    );

  /** Asks one judge after the other about texts that still stand; per text what each said. */
  async function ask(
    texts: number,
    askOne: (judge: Judge, open: readonly number[]) => Promise<Outcome<FaithfulnessScore>[]>,
  ): Promise<Outcome<FaithfulnessScore>[]> {
    const said = Array.from({ length: texts }, (): Word[] => []);
    const usage = new Array<Usage>(texts).fill(noUsage);
    const problem = new Array<string | undefined>(texts).fill(undefined);
    for (const judge of judges) {
      const open = said.flatMap((words, i) =>
        problem[i] === undefined && (how === 'mean' || words.every(({ score }) => score > 0)) ? [i] : [],
      );
      if (open.length === 0) break;
      const outcomes = await askOne(judge, open);
      outcomes.forEach((outcome, position) => {
        const i = open[position];
        usage[i] = addUsage(usage[i], outcome.usage);
        if (outcome.ok) said[i].push({ judge: nameOf(judge.id), ...outcome.value });
        else problem[i] = `${nameOf(judge.id)}: ${outcome.problem}`;
      });
    }
    return said.map((words, i) =>
      problem[i] === undefined ? succeeded(joined(words, how), usage[i]) : failed(problem[i], usage[i]),
    );
  }

  return {
    id: `combined${how === 'minimum' ? '' : ` ${how}`}(${ids.join(' & ')})`,
    async faithfulness(tasks, view, signal) {
      const flat = tasks.flatMap((task, t) => task.keys.map((key) => ({ t, key })));
      const scores = await ask(flat.length, async (judge, open) => {
        const byTask = new Map<number, number[]>();
        for (const i of open) byTask.set(flat[i].t, [...(byTask.get(flat[i].t) ?? []), i]);
        const asked = [...byTask];
        const outcomes = await judge.faithfulness(
          asked.map(([t, places]) => ({ ...tasks[t], keys: places.map((i) => flat[i].key) })),
          view,
          signal,
        );
        const byText = new Map<number, Outcome<FaithfulnessScore>>();
        asked.forEach(([, places], a) => {
          const outcome = outcomes[a];
          places.forEach((i, k) => byText.set(i, keyOutcome(outcome, k)));
        });
        return open.map((i) => byText.get(i) ?? failed('It gave no score.'));
      });
      let next = 0;
      return tasks.map(({ keys }) => together(scores.slice(next, (next += keys.length))));
    },
    async answerability(pairs, view, signal) {
      const scores = await ask(pairs.length, async (judge, open) => {
        const outcomes = await judge.answerability(
          open.map((i) => pairs[i]),
          view,
          signal,
        );
        return outcomes.map((outcome) =>
          outcome.ok ? succeeded({ score: outcome.value }, outcome.usage) : outcome,
        );
      });
      return scores.map((outcome) => (outcome.ok ? succeeded(outcome.value.score, outcome.usage) : outcome));
    },
  };
}

interface Word extends FaithfulnessScore {
  readonly judge: string;
}

/** The kind of judge that an id names: what stands before its first bracket. */
function nameOf(id: string): string {
  return id.split('(')[0];
}

/** One key's part of a document's outcome; the first key carries what all of them cost. */
function keyOutcome(outcome: Outcome<FaithfulnessScore[]>, key: number): Outcome<FaithfulnessScore> {
  const usage = key === 0 ? outcome.usage : noUsage;
  if (!outcome.ok) return failed(outcome.problem, usage);
  const score = outcome.value.at(key);
  return score === undefined ? failed('It gave no score.', usage) : succeeded(score, usage);
}

function joined(words: readonly Word[], how: 'minimum' | 'mean'): FaithfulnessScore {
  const weakest = words.reduce((least, word) => (word.score < least.score ? word : least));
  const mean = words.reduce((sum, { score }) => sum + score, 0) / words.length;
  const score = how === 'minimum' ? weakest.score : (Math.floor(mean) as Score);
  return { score, ...(weakest.reason !== undefined && { reason: `${weakest.judge}: ${weakest.reason}` }) };
}

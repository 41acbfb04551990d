import type { AnswerCache } from '../backbone/types.ts';
import { contentHash } from '../base/hash.ts';
import type { FaithfulnessScore } from '../keys/types.ts';
import type { Judge, JudgeTask, Outcome } from '../roles/types.ts';
import { noUsage } from '../keys/usage.ts';

/**
 * A judge that never scores one key of one text twice: faithfulness depends on (document text, key text, judge) alone
 * (design.md §3). Only what cost a model call is kept; rules are cheaper than a look-up.
 */
export function withFaithfulnessCache(judge: Judge, answers: AnswerCache): Judge {
  return {
    id: judge.id,
    answerability: (pairs, view, signal) => judge.answerability(pairs, view, signal),
    async faithfulness(tasks, view, signal) {
      const hashes = tasks.map((task) =>
        task.keys.map((key) => scoreHash(judge.id, task.documentText, key.text)),
      );
      const known = new Map<string, FaithfulnessScore>();
      const flat = hashes.flat();
      (await answers.get(flat)).forEach((answer, i) => {
        if (isScore(answer)) known.set(flat[i], answer);
      });

      const open = tasks.map((task, t) => task.keys.map((_, k) => k).filter((k) => !known.has(hashes[t][k])));
      const asked = tasks.map((_, t) => t).filter((t) => open[t].length > 0);
      const given = await judge.faithfulness(
        asked.map((t): JudgeTask => ({ ...tasks[t], keys: open[t].map((k) => tasks[t].keys[k]) })),
        view,
        signal,
      );
      await answers.put(
        asked.flatMap((t, a) => {
          const outcome = given[a];
          if (!outcome.ok || outcome.usage.calls === 0) return [];
          return open[t].map((k, i) => ({ hash: hashes[t][k], answer: outcome.value[i] }));
        }),
      );

      const outcomes = new Map(asked.map((t, a) => [t, given[a]]));
      return tasks.map((task, t): Outcome<FaithfulnessScore[]> => {
        const outcome = outcomes.get(t);
        if (outcome && !outcome.ok) return outcome;
        const fresh = new Map(open[t].map((k, i) => [k, outcome?.value[i]]));
        const scores = task.keys.flatMap((_, k) => known.get(hashes[t][k]) ?? fresh.get(k) ?? []);
        const usage = outcome?.usage ?? noUsage;
        const cached = usage.cached + task.keys.length - open[t].length;
        return { ok: true, value: scores, usage: { ...usage, cached } };
      });
    },
  };
}

function scoreHash(judge: string, documentText: string, keyText: string): string {
  return contentHash({ faithfulness: 1, judge, documentText, keyText });
}

function isScore(value: unknown): value is FaithfulnessScore {
  if (typeof value !== 'object' || value === null || !('score' in value)) return false;
  return value.score === 0 || value.score === 1 || value.score === 2 || value.score === 3;
}

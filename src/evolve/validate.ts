import { textKeys } from '../keys/text-keys.ts';
import type { Criterion, FaithfulnessScore, IndexKey, KeySet, Usage, Verdict } from '../keys/types.ts';
import type { CollectionView, Retriever } from '../retrieve/types.ts';
import type { Judge, Outcome } from '../roles/types.ts';
import type { Competitor } from './competitors.ts';
import { noUsage } from '../keys/usage.ts';

/** The judge's scale is 0–3; a key passes with this or more (paper, A.1.4). */
export const passingScore = 2;

export interface ValidationTask {
  readonly documentId: string;
  readonly documentText: string;
  readonly keys: KeySet;
  readonly competitors: readonly Competitor[];
  readonly kept: readonly IndexKey[];
  readonly fresh: readonly IndexKey[];
  /** Keys whose faithfulness a person vouches for: the judge is not asked. */
  readonly vouched?: boolean;
}

export interface Validation {
  readonly verdicts: readonly Verdict[];
  readonly usage: Usage;
  /** Why the judge gave no scores: no key of the proposal can pass then. */
  readonly problem?: string;
}

export interface ValidationContext {
  readonly retriever: Retriever;
  readonly judge: Judge;
  readonly view: CollectionView;
  readonly depth: number;
  readonly fullVerdicts: boolean;
  readonly signal?: AbortSignal;
}

interface Draft {
  readonly key: IndexKey;
  readonly isNew: boolean;
  specificity?: Verdict['specificity'];
  separation?: Verdict['separation'];
  faithfulness?: Verdict['faithfulness'];
}

/**
 * Validates every generated key of each proposal, kept ones included (paper, A.1.4): cheap criteria first, the judge
 * last and only where a new key still stands, unless full verdicts are wanted.
 */
export async function validate(
  tasks: readonly ValidationTask[],
  context: ValidationContext,
): Promise<Validation[]> {
  const drafts = tasks.map((task) => [
    ...task.kept.map((key): Draft => ({ key, isNew: false })),
    ...task.fresh.map((key): Draft => ({ key, isNew: true })),
  ]);
  await checkSpecificity(tasks, drafts, context);
  await checkSeparation(tasks, drafts, context);
  const outcomes = await judgeSurvivors(tasks, drafts, context);
  return tasks.map((_, i) => ({
    verdicts: drafts[i].map(toVerdict),
    usage: outcomes[i]?.usage ?? noUsage,
    problem: outcomes[i]?.ok === false ? outcomes[i].problem : undefined,
  }));
}

async function checkSpecificity(
  tasks: readonly ValidationTask[],
  drafts: readonly Draft[][],
  { retriever, depth, signal }: ValidationContext,
): Promise<void> {
  const flat = tasks.flatMap((task, i) => drafts[i].map((draft) => ({ task, draft })));
  const pairs = flat.map(({ task, draft }) => ({ query: draft.key.text, documentId: task.documentId }));
  const rivals = await retriever.rivals(pairs, signal);
  flat.forEach(({ draft }, i) => (draft.specificity = { rivals: rivals[i], passed: rivals[i] < depth }));
}

async function checkSeparation(
  tasks: readonly ValidationTask[],
  drafts: readonly Draft[][],
  { retriever, fullVerdicts, signal }: ValidationContext,
): Promise<void> {
  const probes: { query: string; keyIds: readonly string[] }[] = [];
  const plans = tasks.map((task, i) => {
    const keyIds = task.competitors.map((competitor) => competitor.keyId);
    const wanted = drafts[i].filter((draft) => fullVerdicts || draft.specificity?.passed);
    if (keyIds.length === 0 || wanted.length === 0) return { wanted, first: 0, current: 0 };
    const first = probes.length;
    const current = textKeys(task.keys);
    for (const key of current) probes.push({ query: key.text, keyIds });
    for (const draft of wanted) probes.push({ query: draft.key.text, keyIds });
    return { wanted, first, current: current.length };
  });
  const maxima = await retriever.maxRelevance(probes, signal);
  for (const { wanted, first, current } of plans) {
    if (current === 0) {
      for (const draft of wanted) draft.separation = { before: null, after: null, passed: true };
      continue;
    }
    let before = -Infinity;
    for (let i = first; i < first + current; i++) before = Math.max(before, maxima[i]);
    wanted.forEach((draft, i) => {
      const after = maxima[first + current + i];
      draft.separation = { before, after, passed: after < before };
    });
  }
}

async function judgeSurvivors(
  tasks: readonly ValidationTask[],
  drafts: readonly Draft[][],
  { judge, view, fullVerdicts, signal }: ValidationContext,
): Promise<(Outcome<FaithfulnessScore[]> | undefined)[]> {
  const stands = (draft: Draft) => draft.specificity?.passed === true && draft.separation?.passed === true;
  const asked = drafts.map((list, i) => {
    if (tasks[i].vouched) {
      for (const draft of list)
        draft.faithfulness = { score: 3, reason: 'vouched for by a person', passed: true };
      return [];
    }
    if (fullVerdicts) return list;
    return list.some((draft) => draft.isNew && stands(draft)) ? list.filter(stands) : [];
  });
  const withKeys = tasks.map((_, i) => i).filter((i) => asked[i].length > 0);
  const answers = await judge.faithfulness(
    withKeys.map((i) => ({
      documentId: tasks[i].documentId,
      documentText: tasks[i].documentText,
      keys: asked[i].map(({ key }) => ({ text: key.text, form: key.origin.form })),
    })),
    view,
    signal,
  );
  const outcomes = new Array<Outcome<FaithfulnessScore[]> | undefined>(tasks.length).fill(undefined);
  withKeys.forEach((i, position) => {
    const outcome = answers[position];
    outcomes[i] = outcome;
    if (!outcome.ok) return;
    asked[i].forEach((draft, k) => {
      const given = outcome.value[k];
      if (!given) return;
      const { value: _, ...kept } = given;
      draft.faithfulness = { ...kept, passed: given.score >= passingScore };
    });
  });
  return outcomes;
}

function toVerdict({ key, isNew, specificity, separation, faithfulness }: Draft): Verdict {
  const failed: Criterion | undefined = !specificity?.passed
    ? 'specificity'
    : separation && !separation.passed
      ? 'separation'
      : faithfulness && !faithfulness.passed
        ? 'faithfulness'
        : undefined;
  const passed = Boolean(specificity?.passed && separation?.passed && faithfulness?.passed);
  return {
    keyId: key.id,
    text: key.text,
    form: key.origin.form,
    isNew,
    specificity,
    separation,
    faithfulness,
    passed,
    failed,
  };
}

/** How well scores tell true from false, and how well verdicts agree with judgements. Pure arithmetic. */

/**
 * Area under the ROC curve: how often a true one scores above a false one, ties counted half (Mann and Whitney). NaN where
 * either kind is missing.
 */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  let won = 0;
  for (const positive of positives)
    for (const negative of negatives) won += positive > negative ? 1 : positive === negative ? 0.5 : 0;
  return won / (positives.length * negatives.length);
}

export interface Kappa {
  readonly kappa: number;
  readonly standardError: number;
  /** 95 %, cut to what kappa can be, −1 to 1. */
  readonly interval: readonly [number, number];
}

const z95 = 1.959964;

/**
 * Cohen's kappa of a square table of counts (rows: one rater's classes, columns: the other's), with the large-sample standard
 * error of Fleiss, Cohen and Everitt (Psychological Bulletin 72, 1969). Null where both always say one and the same class, or
 * nothing was counted: kappa is not defined then.
 */
export function cohenKappa(table: readonly (readonly number[])[]): Kappa | null {
  const n = table.flat().reduce((sum, count) => sum + count, 0);
  const p = table.map((row) => row.map((count) => count / n));
  const rows = p.map((row) => row.reduce((sum, share) => sum + share, 0));
  const columns = p.map((_, j) => p.reduce((sum, row) => sum + row[j], 0));
  const observed = p.reduce((sum, row, i) => sum + row[i], 0);
  const chance = rows.reduce((sum, share, i) => sum + share * columns[i], 0);
  if (!(chance < 1)) return null;
  const kappa = (observed - chance) / (1 - chance);
  let onDiagonal = 0;
  let offDiagonal = 0;
  p.forEach((row, i) =>
    row.forEach((share, j) => {
      if (i === j) onDiagonal += share * (1 - chance - (rows[i] + columns[i]) * (1 - observed)) ** 2;
      else offDiagonal += share * (columns[i] + rows[j]) ** 2;
    }),
  );
  const variance =
    (onDiagonal + (1 - observed) ** 2 * offDiagonal - (observed * chance - 2 * chance + observed) ** 2) /
    (n * (1 - chance) ** 4);
  const standardError = Math.sqrt(Math.max(0, variance));
  return {
    kappa,
    standardError,
    interval: [Math.max(-1, kappa - z95 * standardError), Math.min(1, kappa + z95 * standardError)],
  };
}

/** One judged pair: what is true of it, and what the judge said. */
export interface JudgedPair {
  readonly relevant: boolean;
  /** 0–3; null where the judge gave no answer: such a key does not pass. */
  readonly score: number | null;
  /** What the score was made of, where the judge knows. */
  readonly value?: number;
}

/** What a judge is worth at the gate. */
export interface Agreement {
  readonly pairs: number;
  /** Pairs without an answer. */
  readonly skipped: number;
  /** Of the scores 0–3. */
  readonly auc: number;
  /** Of what the scores are made of; null where the judge does not know for every pair. */
  readonly aucOfValue: number | null;
  /** Share of pairs whose verdict (score at or above the gate's) is right. */
  readonly accuracy: number;
  /** Share of relevant ones among those that pass; null where none does. */
  readonly precision: number | null;
  /** Share of the relevant ones that pass. */
  readonly recall: number;
  /** Null where it is not defined. */
  readonly kappa: Kappa | null;
}

/** @param gate least score that passes */
export function agreementOf(judged: readonly JudgedPair[], gate: number): Agreement {
  const parts = (relevant: boolean) => judged.filter((pair) => pair.relevant === relevant);
  const [positives, negatives] = [parts(true), parts(false)];
  const passing = (pairs: readonly JudgedPair[]) => pairs.filter(({ score }) => (score ?? 0) >= gate).length;
  const [kept, wrong] = [passing(positives), passing(negatives)];
  const [lost, refused] = [positives.length - kept, negatives.length - wrong];
  const scores = (pairs: readonly JudgedPair[]) => pairs.map(({ score }) => score ?? 0);
  const values = (pairs: readonly JudgedPair[]) => pairs.flatMap(({ value }) => value ?? []);
  const known = values(judged).length === judged.length;
  return {
    pairs: judged.length,
    skipped: judged.filter(({ score }) => score === null).length,
    auc: areaUnderCurve(scores(positives), scores(negatives)),
    aucOfValue: known ? areaUnderCurve(values(positives), values(negatives)) : null,
    accuracy: (kept + refused) / judged.length,
    precision: kept + wrong > 0 ? kept / (kept + wrong) : null,
    recall: kept / positives.length,
    kappa: cohenKappa([
      [kept, lost],
      [wrong, refused],
    ]),
  };
}

import type { JudgeReport } from './measure-judges.ts';

/** The content of a `--json` file of `judges`. */
export interface JudgesReport {
  /** Name of the collection's folder. */
  readonly collection: string;
  /** As asked for; each judge's report says how many there were. */
  readonly pairs: number;
  readonly seed: number;
  readonly embedder: string | null;
  /** As `parseRolesSpec` reads it. */
  readonly model: string | null;
  readonly judges: readonly JudgeReport[];
}

import type { JsonValue } from '../base/json.ts';
import type { Criterion, GuardReport, IndexKey, IterationSummary, Usage } from '../keys/types.ts';
import type { RetrieverKind } from '../retrieve/types.ts';
import type { FailureReport } from './failures/stories.ts';
import type { Comparison } from './statistics/compare.ts';
import { compareRuns, type Measures, type RunMeasures } from './measures.ts';

/** What one version of the index is worth, and what it took to get there from the version before. */
export interface VersionReport {
  readonly version: number;
  readonly metrics: Measures;
  /** Generated text keys that live in it. */
  readonly keys: number;
  /** Documents with at least one of them. */
  readonly documentsWithKeys: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Wall time of the iteration, measuring excluded. */
  readonly seconds: number;
  /** Documents whose revision was accepted. */
  readonly accepted: number;
  /** New keys refused, by the first criterion that failed. */
  readonly rejected: Readonly<Record<Criterion, number>>;
  /** Evaluation queries whose nDCG@10 is above and below that of version 0. */
  readonly better: number;
  readonly worse: number;
  /** Expansion keys that live in it. */
  readonly expansionKeys: number;
  /** Feedback records looked at, and those for which keys were written. */
  readonly visited: number;
  readonly diagnosed: number;
  readonly skipped: number;
  readonly guard?: Omit<GuardReport, 'worse'>;
  readonly stoppedBy?: IterationSummary['stoppedBy'];
}

/** The content of a `--json` file. */
export interface LabReport {
  /** Name of the collection's folder. */
  readonly collection: string;
  readonly retriever: RetrieverKind;
  /** As given to `--roles`; null where nothing was evolved. */
  readonly roles: string | null;
  readonly seed: number;
  readonly versions: readonly VersionReport[];
  /** nDCG@10 of the last version against version 0; absent where nothing was evolved, and in older files. */
  readonly comparison?: Comparison;
  /** What the last version made worse; absent as `comparison` is. */
  readonly failures?: FailureReport;
  /** Everything else that decides the figures. */
  readonly settings: Readonly<Record<string, JsonValue>>;
}

/** What an experiment found. */
export interface ExperimentReport {
  readonly versions: readonly VersionReport[];
  /** As in `LabReport`. */
  readonly comparison?: Comparison;
  readonly failures?: FailureReport;
  /** Ids of the roles that evolved it. */
  readonly roles?: Readonly<Record<string, JsonValue>>;
}

/** One version as the evolution left it, before anything is measured. */
export interface EvolvedVersion {
  readonly version: number;
  readonly seconds: number;
  readonly summary?: IterationSummary;
}

const noKeys = { faithfulness: 0, specificity: 0, separation: 0 };

/** `keys`: every key of the version, originals included or not. `base`: the measures of version 0. */
export function versionReport(
  { version, seconds, summary }: EvolvedVersion,
  keys: readonly IndexKey[],
  measured: RunMeasures,
  base: RunMeasures,
): VersionReport {
  const generated = keys.filter(({ kind }) => kind === 'generated');
  const usage = totalUsage(summary?.usage ?? {});
  const { worse: _, ...guard } = summary?.guard ?? { worse: [] };
  return {
    version,
    metrics: measured.mean,
    keys: generated.length,
    documentsWithKeys: new Set(generated.map(({ documentId }) => documentId)).size,
    calls: usage.calls,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    seconds,
    accepted: summary?.accepted ?? 0,
    rejected: summary?.rejected ?? noKeys,
    ...compareRuns(base, measured),
    expansionKeys: keys.filter(({ kind }) => kind === 'expansion').length,
    visited: summary?.visited ?? 0,
    diagnosed: summary?.diagnosed ?? 0,
    skipped: summary?.skipped ?? 0,
    ...(summary?.guard ? { guard: guard as Omit<GuardReport, 'worse'> } : {}),
    ...(summary?.stoppedBy ? { stoppedBy: summary.stoppedBy } : {}),
  };
}

function totalUsage(
  stages: IterationSummary['usage'],
): Pick<Usage, 'calls' | 'inputTokens' | 'outputTokens'> {
  const total = { calls: 0, inputTokens: 0, outputTokens: 0 };
  for (const usage of Object.values(stages)) {
    total.calls += usage.calls;
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
  }
  return total;
}

import type { ErrorCode } from '../base/errors.ts';
import type { EmbedderSpec, TransformersSpec } from '../embed/types.ts';
import type { EngineSpec, EvolveOptions } from '../evolve/types.ts';
import type { CollectionQuery } from './collection.ts';
import type { JudgeReport } from './judges/measure-judges.ts';
import type { ExperimentReport } from './report.ts';

/** Where the page and its workers find what the runner serves (cli/lab-server.ts): paths of one origin. */
export const labPaths = {
  page: '/lab.html',
  corpus: '/lab/corpus',
  queries: '/lab/queries',
  qrels: '/lab/qrels',
  /** Takes the TREC run, in parts. */
  run: '/lab/run',
  /** Embeddings of earlier runs. */
  vectors: '/lab/vectors',
} as const;

/** What the runner asks of the lab page: plain data. */
export interface LabRequest {
  readonly spec: EngineSpec;
  /** Absent: only version 0 is measured. */
  readonly evolve?: Omit<EvolveOptions, 'signal' | 'queries'> & {
    readonly queries?: readonly CollectionQuery[];
  };
  /** Evaluation queries to measure, from the first; default all that have a relevant document. */
  readonly limitQueries?: number;
  /** Documents per ranking: at least 100, for R@100. */
  readonly limit: number;
  /** Send the rankings of the last version to `labPaths.run`. */
  readonly withRun: boolean;
}

/** What the runner asks of the lab page to measure judges: plain data. */
export interface JudgesRequest {
  /** As `parseJudgeSpec` reads them. */
  readonly judges: readonly string[];
  /** Pairs at most. */
  readonly pairs: number;
  readonly seed: number;
  /** Where a judge needs one. */
  readonly embedder?: EmbedderSpec;
  /** How `crossencoder:MODEL` and `nli:MODEL` are loaded. */
  readonly scorer: Omit<TransformersSpec, 'model'>;
  /** The language model, as `parseRolesSpec` reads it, where a judge asks one; `device` for one in the browser. */
  readonly model?: string;
  readonly generator?: EngineSpec['generator'];
  readonly apiKey?: string;
}

/** What the lab page answers. Errors as data: a thrown one would lose its code on the way. */
export type LabAnswer<Report = ExperimentReport> =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** What the lab page tells while it works. */
export interface LabProgress {
  /** What is going on, in words. */
  readonly step: string;
  readonly done: number;
  /** Absent where nobody knows. */
  readonly total?: number;
  readonly secondsLeft?: number | null;
  readonly calls?: number;
  readonly tokens?: number;
}

/** The lab page's one global object. */
export interface LabPage {
  run(request: LabRequest): Promise<LabAnswer>;
  judge(request: JudgesRequest): Promise<LabAnswer<readonly JudgeReport[]>>;
}

declare global {
  var selfIndexLab: LabPage;
  /** Set by the runner; absent when a person opens the page. */
  var reportLabProgress: ((progress: LabProgress) => Promise<void>) | undefined;
}

import type { CollectionView } from '../retrieve/types.ts';
import type {
  Diagnosis,
  FaithfulnessScore,
  FeedbackRecord,
  Proposal,
  ProposedKey,
  Usage,
} from '../keys/types.ts';

/** A role's answer for one task: a value, or why there is none (counted and skipped, never trusted). */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly usage: Usage }
  | { readonly ok: false; readonly problem: string; readonly usage: Usage };

export interface Diagnoser {
  readonly id: string;
  /** null: no shortfall, the document is left alone. */
  diagnose(
    records: readonly FeedbackRecord[],
    view: CollectionView,
    signal?: AbortSignal,
  ): Promise<Outcome<Diagnosis | null>[]>;
}

export interface RevisionTask {
  readonly record: FeedbackRecord;
  readonly diagnosis: Diagnosis;
  /** Texts of C_d, most often co-retrieved first. */
  readonly competitors: readonly string[];
  /** Generated keys that may stand at once (keyBudget − 1). */
  readonly limit: number;
}

export interface Reviser {
  readonly id: string;
  revise(
    tasks: readonly RevisionTask[],
    view: CollectionView,
    signal?: AbortSignal,
  ): Promise<Outcome<Proposal>[]>;
}

export interface JudgeTask {
  readonly documentId: string;
  /** Title and text, as the original key has them. */
  readonly documentText: string;
  readonly keys: readonly ProposedKey[];
}

export interface Judge {
  readonly id: string;
  /** One score per key. */
  faithfulness(
    tasks: readonly JudgeTask[],
    view: CollectionView,
    signal?: AbortSignal,
  ): Promise<Outcome<FaithfulnessScore[]>[]>;
  answerability(
    pairs: readonly { readonly documentId: string; readonly documentText: string; readonly query: string }[],
    view: CollectionView,
    signal?: AbortSignal,
  ): Promise<Outcome<0 | 1 | 2 | 3>[]>;
}

export interface SimulationTask {
  readonly documentId: string;
  readonly title?: string;
  readonly text: string;
  readonly count: number;
  /** Seeds whatever the simulator draws. */
  readonly seed: string;
}

export interface Simulator {
  readonly id: string;
  simulate(
    tasks: readonly SimulationTask[],
    view: CollectionView,
    signal?: AbortSignal,
  ): Promise<Outcome<string[]>[]>;
}

/** One of each; every report prints their ids. */
export interface Roles {
  /** One sentence for people: what these roles are and what they cannot do. */
  readonly description: string;
  /** How a language model is asked, and why so: `compact (self-test: 1 of 4 right)`. */
  readonly prompts?: string;
  readonly diagnoser: Diagnoser;
  readonly reviser: Reviser;
  readonly judge: Judge;
  readonly simulator: Simulator;
  /** Documents that are handed to a role at once; fixed, so that runs are deterministic. */
  readonly batchSize: number;
}

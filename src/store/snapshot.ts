import type { JsonValue } from '../base/json.ts';
import type { Document } from '../corpus/types.ts';
import type { EvolutionQuery, IndexVersion, KeyRecord, Revision } from '../keys/types.ts';
import type { JournalEntry, RunBatch, RunRecord } from './types.ts';

/** Vectors of one space, row-major: vector i is that of `hashes[i]`. */
export interface VectorBlock {
  readonly space: string;
  readonly dimensions: number;
  readonly hashes: readonly string[];
  readonly data: Float32Array;
}

/** The whole content of a store at one moment: what an export holds. Lists are in the order of the store's methods. */
export interface Snapshot {
  readonly documents: readonly Document[];
  readonly keys: readonly KeyRecord[];
  readonly versions: readonly IndexVersion[];
  readonly revisions: readonly Revision[];
  readonly queries: readonly EvolutionQuery[];
  readonly pendingQueries: readonly EvolutionQuery[];
  readonly runs: readonly RunRecord[];
  readonly batches: readonly RunBatch[];
  readonly journal: readonly JournalEntry[];
  readonly settings: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly answers: readonly { readonly hash: string; readonly answer: unknown }[];
  readonly vectors: readonly VectorBlock[];
}

/** Version 0: original keys alone. */
export function initialVersion(at: number): IndexVersion {
  return { version: 0, parent: null, kind: 'initial', at };
}

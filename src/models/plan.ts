import type { Expected } from './download.ts';
import type { ModelLabel, ModelSource } from './types.ts';

/** A file to fetch. */
export interface PlannedFile extends Expected {
  readonly path: string;
  readonly url: string;
  /** Who says what its bytes must be: the catalogue, or the server itself. */
  readonly by?: 'known' | 'declared';
  /** Left out where the server has none. */
  readonly optional?: true;
}

/** All that is to be done to have a model: it is kept beside what has come, so that another day can go on with it. */
export interface Plan extends ModelLabel {
  readonly source: ModelSource;
  readonly revision?: string;
  readonly files: readonly PlannedFile[];
  /** Where a kept model's files lie that are to be made whole. Default: a folder of its own. */
  readonly folder?: string;
}

/** A plan under way, or one that was interrupted. */
export interface Unfinished {
  readonly plan: Plan;
  /** Bytes that are here. */
  readonly done: number;
  /** Bytes of all files, where every size is known. */
  readonly total?: number;
}

export function totalOf(files: readonly PlannedFile[]): number | undefined {
  let sum = 0;
  for (const { size, optional } of files) {
    if (size === undefined && !optional) return undefined;
    sum += size ?? 0;
  }
  return sum;
}

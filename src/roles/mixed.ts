import type { Diagnoser, Judge, Reviser, Roles, Simulator } from './types.ts';

export interface RoleParts {
  readonly diagnoser: Diagnoser;
  readonly reviser: Reviser;
  readonly judge: Judge;
  readonly simulator: Simulator;
  /** Documents handed to a role at once. Default 8. */
  readonly batchSize?: number;
  /** Default: a sentence that names each. */
  readonly description?: string;
}

/** Roles from any parts: rules for one, a language model for another. */
export function combineRoles(parts: RoleParts): Roles {
  const { diagnoser, reviser, judge, simulator } = parts;
  const named =
    `Diagnosis by ${diagnoser.id}, keys by ${reviser.id}, judged by ${judge.id}, ` +
    `searches by ${simulator.id}.`;
  return {
    description: parts.description ?? named,
    diagnoser,
    reviser,
    judge,
    simulator,
    batchSize: parts.batchSize ?? 8,
  };
}

/** True where one language model writes the keys and judges them: its word on itself, which people should know. */
export function sameModel(roles: Pick<Roles, 'judge' | 'reviser'>): boolean {
  const model = modelOf(roles.reviser.id);
  return model !== undefined && model === modelOf(roles.judge.id);
}

/** The language model in a role's id, `prompted(MODEL)/STYLE`; undefined for rules and embedders. */
export function modelOf(roleId: string): string | undefined {
  return /^prompted\((.*)\)\/(?:full|compact)$/s.exec(roleId)?.[1];
}

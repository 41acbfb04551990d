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

/** Whose work is whose: what a report or a page says of a run's roles. */
export interface WhoJudges {
  /** Id of the role that writes the keys. */
  readonly generator: string;
  /** Id of the judge; a combined one names every part. */
  readonly judge: string;
  /** One language model writes the keys and has a say in judging them: its word on its own work. */
  readonly sameModel: boolean;
}

/** From the ids of the roles (`EvolveEvent` of type `started`, `roles` in the settings of a report). */
export function whoJudges(ids: { readonly reviser: string; readonly judge: string }): WhoJudges {
  const model = modelOf(ids.reviser);
  const asJudge = model === undefined ? [] : judgeForms.map(([kind, style]) => `${kind}(${model})/${style}`);
  return {
    generator: ids.reviser,
    judge: ids.judge,
    sameModel: asJudge.some((id) => ids.judge.includes(id)),
  };
}

const judgeForms = ['prompted', 'claims'].flatMap((kind) =>
  ['full', 'compact'].map((style) => [kind, style] as const),
);

/** True for the ids of roles as events and reports have them. */
export function isRoleIds(value: unknown): value is { readonly reviser: string; readonly judge: string } {
  const ids = value as { readonly reviser?: unknown; readonly judge?: unknown } | null | undefined;
  return typeof ids?.reviser === 'string' && typeof ids.judge === 'string';
}

/** The same in a sentence. */
export function whoJudgesInWords({ generator, judge, sameModel: same }: WhoJudges): string {
  return `Keys written by ${generator}, judged by ${judge}${same ? ': one model has a say in judging its own work, which favours it' : ''}.`;
}

/** True where one language model writes the keys and has a say in judging them, alone or combined with others. */
export function sameModel(roles: Pick<Roles, 'judge' | 'reviser'>): boolean {
  return whoJudges({ reviser: roles.reviser.id, judge: roles.judge.id }).sameModel;
}

/** The language model in a role's id, `prompted(MODEL)/STYLE` or `claims(MODEL)/STYLE`; undefined for others. */
export function modelOf(roleId: string): string | undefined {
  return /^(?:prompted|claims)\((.*)\)\/(?:full|compact)$/s.exec(roleId)?.[1];
}

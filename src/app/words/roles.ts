import { modelOf, whoJudges } from '../../roles/mixed.ts';

/** Ids of the four roles, as an evolution tells them when it starts. */
export interface RoleIds {
  readonly diagnoser: string;
  readonly reviser: string;
  readonly judge: string;
  readonly simulator: string;
}

/** From the event `started`; null where something else stands there. */
export function roleIdsOf(roles: { readonly [role: string]: unknown }): RoleIds | null {
  const { diagnoser, reviser, judge, simulator } = roles;
  return typeof diagnoser === 'string' &&
    typeof reviser === 'string' &&
    typeof judge === 'string' &&
    typeof simulator === 'string'
    ? { diagnoser, reviser, judge, simulator }
    : null;
}

/** Who plays a role, in few words. */
export function playerInWords(roleId: string): string {
  const model = modelOf(roleId);
  if (model !== undefined) return modelInWords(model);
  const embedder = /^embedder\(([^@)]+)/.exec(roleId)?.[1];
  return embedder === undefined ? 'rules' : `${embedder}, an embedder`;
}

/** `openai:ADDRESS#MODEL`, or `MODEL@REVISION/…` of a model that runs here. */
function modelInWords(id: string): string {
  const [, address, name] = /^openai:([^#]*)#([^?]*)/.exec(id) ?? [];
  if (address !== undefined && URL.canParse(address)) return `${name} at ${new URL(address).host}`;
  return `${id.replace(/@.*$/s, '')}, in this browser`;
}

/** Said where one model writes and has a say in judging: its word on itself is worth little. */
export function sameModelInWords(roles: RoleIds): string | null {
  if (!whoJudges(roles).sameModel) return null;
  return 'The same model writes and judges. It tends to find its own keys good; the guard measures them all the same.';
}

import type { Roles } from '../types.ts';
import { extractiveDescription } from './description.ts';
import { createRuleDiagnoser } from './diagnoser.ts';
import { defaultRules, type RuleOptions } from './gaps.ts';
import { createRuleJudge } from './judge.ts';
import { createTextReviser } from './reviser.ts';
import { createTextSimulator } from './simulator.ts';

/** The four roles without any weights: deterministic, free, and limited to words that the collection already holds. */
export function extractiveRoles(options: Pick<RuleOptions, 'embedderWords'> = defaultRules): Roles {
  return {
    description: extractiveDescription,
    diagnoser: createRuleDiagnoser(options),
    reviser: createTextReviser(options),
    judge: createRuleJudge(),
    simulator: createTextSimulator(),
    batchSize: 32,
  };
}

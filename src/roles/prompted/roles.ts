import type { LanguageModel } from '../../backbone/types.ts';
import { createRuleDiagnoser } from '../extractive/diagnoser.ts';
import { defaultRules } from '../extractive/gaps.ts';
import { createRuleJudge } from '../extractive/judge.ts';
import { createTextSimulator } from '../extractive/simulator.ts';
import { sameModel } from '../mixed.ts';
import type { Judge, Reviser, Roles, Simulator } from '../types.ts';
import { createCompactReviser } from './compact-reviser.ts';
import { createCompactSimulator } from './compact-simulator.ts';
import { createFullDiagnoser } from './full-diagnoser.ts';
import { createFullReviser } from './full-reviser.ts';
import { createFullSimulator } from './full-simulator.ts';
import { promptedJudge } from './judges.ts';

export interface PromptedOptions {
  /** Default: the model's own `promptStyle`. */
  readonly style?: 'full' | 'compact';
  /** `model` is the model itself. Default: the model for `full`; for `compact`, whose word is worth little, rules. */
  readonly judge?: Judge | 'model';
  /**
   * Default: the model for `full`; for `compact` rules, since searches and keys written by one small model would
   * measure each other.
   */
  readonly simulator?: Simulator | 'model';
  /** As for the extractive roles: rules diagnose and close gaps in the compact style. Default 180. */
  readonly embedderWords?: number;
}

/** The four roles played by a language model. */
export function promptedRoles(model: LanguageModel, options: PromptedOptions = {}): Roles {
  const style = options.style ?? model.promptStyle;
  const { judge, simulator } = options;
  const batchSize = Math.max(1, model.batchSize);
  if (style === 'full') {
    const reviser = createFullReviser(model);
    const chosen = judge === undefined || judge === 'model' ? promptedJudge(model, style) : judge;
    return {
      description: `${model.id} diagnoses, writes and searches; ${judgeNote(reviser, chosen)}`,
      diagnoser: createFullDiagnoser(model),
      reviser,
      judge: chosen,
      simulator: simulator === undefined || simulator === 'model' ? createFullSimulator(model) : simulator,
      batchSize,
    };
  }
  const chosen = judge === 'model' ? promptedJudge(model, style) : (judge ?? createRuleJudge());
  const rules = { embedderWords: options.embedderWords ?? defaultRules.embedderWords, unwritten: true };
  const reviser = createCompactReviser(model, rules);
  return {
    description: `Rules diagnose and spell out names; ${model.id}, a small model, only writes; ${judgeNote(reviser, chosen)}`,
    diagnoser: createRuleDiagnoser(rules),
    reviser,
    judge: chosen,
    simulator: simulator === 'model' ? createCompactSimulator(model) : (simulator ?? createTextSimulator()),
    batchSize,
  };
}

function judgeNote(reviser: Reviser, judge: Judge): string {
  return sameModel({ reviser, judge })
    ? `it also judges its own keys, which favours them (${judge.id}).`
    : `its keys are judged apart (${judge.id}).`;
}

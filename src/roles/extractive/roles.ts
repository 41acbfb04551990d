import type { Roles } from '../types.ts';
import { extractiveDescription } from './description.ts';
import { createRuleDiagnoser } from './diagnoser.ts';
import { defaultEmbedderWords } from './gaps.ts';
import { createRuleJudge } from './judge.ts';
import { createTextReviser } from './reviser.ts';
import { createTextSimulator } from './simulator.ts';

export interface ExtractiveOptions {
  /** Words of a text that the embedder reads: 180 for 256 tokens, the default. Infinity without an embedder. */
  readonly embedderWords?: number;
}

/** The four roles without any weights: deterministic, free, and limited to words that the collection already holds. */
export function extractiveRoles(options: ExtractiveOptions = {}): Roles {
  const embedderWords = options.embedderWords ?? defaultEmbedderWords;
  return {
    description: extractiveDescription,
    diagnoser: createRuleDiagnoser({ embedderWords }),
    reviser: createTextReviser({ embedderWords }),
    judge: createRuleJudge(),
    simulator: createTextSimulator(),
    batchSize: 32,
  };
}

import type { LanguageModel } from '../../backbone/types.ts';
import type { Judge } from '../types.ts';
import { createCompactClaimsJudge } from './compact-claims-judge.ts';
import { createCompactJudge } from './compact-judge.ts';
import { createFullClaimsJudge } from './full-claims-judge.ts';
import { createFullJudge } from './full-judge.ts';

type Style = LanguageModel['promptStyle'];

/** A language model that gives each key of a document 0–3. `style` defaults to the model's own. */
export function promptedJudge(model: LanguageModel, style: Style = model.promptStyle): Judge {
  return style === 'full' ? createFullJudge(model) : createCompactJudge(model);
}

/** A language model that judges each claim of a key; the weakest counts. `style` defaults to the model's own. */
export function claimsJudge(model: LanguageModel, style: Style = model.promptStyle): Judge {
  return style === 'full' ? createFullClaimsJudge(model) : createCompactClaimsJudge(model);
}

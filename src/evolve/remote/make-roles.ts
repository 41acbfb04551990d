import { withCache } from '../../backbone/cached-model.ts';
import { createOpenAiModel } from '../../backbone/openai-model.ts';
import { connectModel } from '../../backbone/worker-model.ts';
import type { LanguageModel } from '../../backbone/types.ts';
import { SelfIndexError } from '../../base/errors.ts';
import type { Embedder } from '../../embed/types.ts';
import { extractiveRoles } from '../../roles/extractive/roles.ts';
import { createRuleJudge } from '../../roles/extractive/judge.ts';
import { calibrateEmbedderJudge, createEmbedderJudge } from '../../roles/judges/embedder-judge.ts';
import { fewestPairs } from '../../roles/judges/thresholds.ts';
import { promptedRoles } from '../../roles/prompted/roles.ts';
import { parseRolesSpec } from '../../roles/spec.ts';
import type { Judge, Roles } from '../../roles/types.ts';
import type { AnswerCache } from '../../backbone/types.ts';
import { calibrationPairs } from '../calibration-pairs.ts';
import type { IndexState } from '../state.ts';
import type { EngineSpec } from '../types.ts';

export interface RoleParts {
  readonly answers: AnswerCache;
  readonly embedder?: Embedder;
  readonly generator?: MessagePort;
}

export interface MadeRoles {
  readonly roles: Roles;
  /** The language model behind them, to be disposed of with the index. */
  readonly model?: LanguageModel;
}

/** The roles that a spec names; loads the language model where there is one. */
export async function makeRoles(spec: EngineSpec, parts: RoleParts, state: IndexState): Promise<MadeRoles> {
  const wanted = parseRolesSpec(spec.roles);
  const model = await makeModel(spec, parts);
  const judge = await makeJudge(spec, parts, state, model);
  if (!model || wanted.kind === 'extractive') {
    const rules = extractiveRoles();
    return { roles: judge && judge !== 'model' ? { ...rules, judge } : rules };
  }
  return { roles: promptedRoles(model, judge && { judge }), model };
}

async function makeModel(
  spec: EngineSpec,
  { answers, generator }: RoleParts,
): Promise<LanguageModel | undefined> {
  const wanted = parseRolesSpec(spec.roles);
  switch (wanted.kind) {
    case 'extractive':
      return undefined;
    case 'transformers': {
      if (!generator) throw new SelfIndexError('invalid-argument', 'These roles need a generator worker.');
      return withCache(await connectModel(generator, { ...spec.generator, model: wanted.model }), answers);
    }
    case 'openai':
      return withCache(
        createOpenAiModel({ url: wanted.url, model: wanted.model, apiKey: spec.apiKey }),
        answers,
      );
  }
}

/** undefined: what the roles choose by themselves. */
async function makeJudge(
  spec: EngineSpec,
  { embedder }: RoleParts,
  state: IndexState,
  model: LanguageModel | undefined,
): Promise<Judge | 'model' | undefined> {
  const byEmbedder = model?.promptStyle === 'compact' && embedder ? 'embedder' : undefined;
  switch (spec.judge ?? byEmbedder) {
    case undefined:
      return undefined;
    case 'rules':
      return createRuleJudge();
    case 'model':
      if (!model)
        throw new SelfIndexError('invalid-argument', 'The extractive roles have no model that could judge.');
      return 'model';
    case 'embedder': {
      if (!embedder)
        throw new SelfIndexError('invalid-argument', 'To judge by an embedder, name one in `embedder`.');
      const pairs = await calibrationPairs(state);
      return createEmbedderJudge(
        embedder,
        pairs.length >= fewestPairs ? await calibrateEmbedderJudge(embedder, pairs) : undefined,
      );
    }
  }
}

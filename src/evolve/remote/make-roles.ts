import { withCache } from '../../backbone/cached-model.ts';
import { createOpenAiModel } from '../../backbone/openai-model.ts';
import type { GeneratorSpec } from '../../backbone/generator-spec.ts';
import { connectModel } from '../../backbone/worker-model.ts';
import type { LanguageModel } from '../../backbone/types.ts';
import { SelfIndexError } from '../../base/errors.ts';
import { findCatalogueModel } from '../../embed/catalogue.ts';
import type { Embedder } from '../../embed/types.ts';
import { extractiveRoles } from '../../roles/extractive/roles.ts';
import { parseJudgeSpec, type JudgePart } from '../../roles/judges/spec.ts';
import { promptedRoles } from '../../roles/prompted/roles.ts';
import { testPromptStyle } from '../../roles/prompted/self-test.ts';
import { parseRolesSpec } from '../../roles/spec.ts';
import type { RolesSpec } from '../../roles/spec.ts';
import type { Roles } from '../../roles/types.ts';
import type { AnswerCache } from '../../backbone/types.ts';
import { makeJudge } from '../make-judge.ts';
import { documentsHash } from '../run-config.ts';
import type { IndexState } from '../state.ts';
import type { RolesChoice } from '../types.ts';

export interface RoleParts {
  readonly answers: AnswerCache;
  readonly embedder?: Embedder;
  readonly generator?: MessagePort;
}

export interface MadeRoles {
  /** For a state of the index: where the documents changed, the judge is made anew. */
  rolesFor(state: IndexState): Promise<Roles>;
  /** The language model behind them, to be disposed of with the index. */
  readonly model?: LanguageModel;
}

/**
 * The roles that a spec names; loads the language model where there is one.
 * @throws SelfIndexError `invalid-argument` for roles or a judge that are not understood or lack what they need, and what
 *   loading a model throws
 */
export async function makeRoles(spec: RolesChoice, parts: RoleParts): Promise<MadeRoles> {
  const named = spec.judge === undefined ? undefined : parseJudgeSpec(spec.judge);
  const loaded = await makeModel(spec, parts);
  const asked =
    loaded &&
    (await howToAsk(loaded, spec).catch(async (error: unknown) => {
      await loaded.dispose();
      throw error;
    }));
  const model = asked?.model;
  let made: { readonly documents: string; readonly roles: Promise<Roles> } | undefined;
  const rolesFor = async (state: IndexState) => {
    const documents = await documentsHash(state);
    if (made?.documents === documents) return made.roles;
    const roles = rolesOf(asked, named, parts, state);
    made = { documents, roles };
    // What failed may be tried again.
    roles.catch(() => {
      if (made?.roles === roles) made = undefined;
    });
    return roles;
  };
  return { rolesFor, ...(model && { model }) };
}

async function rolesOf(
  asked: Asked | undefined,
  named: readonly JudgePart[] | undefined,
  { embedder }: RoleParts,
  state: IndexState,
): Promise<Roles> {
  const model = asked?.model;
  const chosen = named ?? defaultJudge(model, embedder);
  const judge = chosen && (await makeJudge(chosen, { embedder, model }, state));
  if (asked) return { ...promptedRoles(asked.model, judge && { judge }), prompts: asked.prompts };
  const rules = extractiveRoles();
  return judge ? { ...rules, judge } : rules;
}

interface Asked {
  readonly model: LanguageModel;
  /** The style of its prompts and why it is that; undefined where it is the usual one for this model. */
  readonly prompts?: string;
}

/** Chooses the style of a model's prompts: as the spec says, as is known of it, or by a self-test (answered from the cache later). */
async function howToAsk(model: LanguageModel, { roles, prompts }: RolesChoice): Promise<Asked> {
  const asked = (promptStyle: 'full' | 'compact', why: string) => ({
    model: { ...model, promptStyle },
    prompts: `${promptStyle} (${why})`,
  });
  if (prompts) return asked(prompts, 'as you chose');
  const wanted = parseRolesSpec(roles);
  const known = wanted.kind === 'transformers' && findCatalogueModel(wanted.model)?.generation !== undefined;
  if (known || wanted.kind === 'openai') return { model };
  const { style, right, of } = await testPromptStyle(model);
  return asked(style, `self-test: ${right} of ${of} right`);
}

/** undefined: what the roles choose by themselves. */
function defaultJudge(
  model: LanguageModel | undefined,
  embedder: Embedder | undefined,
): readonly JudgePart[] | undefined {
  return model?.promptStyle === 'compact' && embedder ? [{ kind: 'embedder' }] : undefined;
}

function generatorSpecOf(
  wanted: RolesSpec & { readonly kind: 'transformers' | 'wllama' | 'webllm' | 'prompt-api' },
  options: RolesChoice['generator'] = {},
): GeneratorSpec {
  const { base, device, threads } = options;
  switch (wanted.kind) {
    case 'transformers':
      return { ...options, model: wanted.model };
    case 'wllama':
      return { runtime: wanted.kind, model: wanted.model, base, device, threads };
    case 'webllm':
      return { runtime: wanted.kind, model: wanted.model, base };
    case 'prompt-api':
      return { runtime: wanted.kind };
  }
}

/** The language model that roles name, with the answers of a cache; undefined for rules. A plain object: it can be spread. */
export async function makeModel(
  spec: RolesChoice,
  { answers, generator }: RoleParts,
): Promise<LanguageModel | undefined> {
  const wanted = parseRolesSpec(spec.roles);
  switch (wanted.kind) {
    case 'extractive':
      return undefined;
    case 'transformers':
    case 'wllama':
    case 'webllm':
    case 'prompt-api': {
      if (!generator)
        throw new SelfIndexError('invalid-argument', 'These roles need a generator: a worker, or the page.');
      return withCache(await connectModel(generator, generatorSpecOf(wanted, spec.generator)), answers);
    }
    case 'openai':
      return withCache(
        createOpenAiModel({ url: wanted.url, model: wanted.model, apiKey: spec.apiKey }),
        answers,
      );
  }
}

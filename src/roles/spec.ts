import { SelfIndexError } from '../base/errors.ts';

/** What plays the roles, as data: what `--roles` and `EngineSpec.roles` say. */
export type RolesSpec =
  | { readonly kind: 'extractive' }
  /** A folder of transformers.js under the base URL of models. */
  | { readonly kind: 'transformers'; readonly model: string }
  /** A GGUF file under the base URL of models, for llama.cpp. */
  | { readonly kind: 'wllama'; readonly model: string }
  /** A folder under the base URL of models, compiled for WebLLM. */
  | { readonly kind: 'webllm'; readonly model: string }
  /** The language model that the browser itself brings. */
  | { readonly kind: 'prompt-api' }
  /** A server that speaks OpenAI's chat completions; `url` without the fragment. */
  | { readonly kind: 'openai'; readonly url: string; readonly model: string };

const forms = 'extractive, transformers:MODEL, wllama:FILE, webllm:ID, prompt-api or openai:URL#MODEL';
/** A folder below the base URL of models. */
export const modelName = /^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)*$/;

/**
 * Parses `extractive | transformers:MODEL | wllama:FILE | webllm:ID | prompt-api | openai:URL#MODEL`.
 * @throws SelfIndexError `invalid-argument`, which says what is wrong with the given one
 */
export function parseRolesSpec(spec: string): RolesSpec {
  const colon = spec.indexOf(':');
  const kind = colon < 0 ? spec : spec.slice(0, colon);
  const rest = colon < 0 ? '' : spec.slice(colon + 1);
  switch (kind) {
    case 'extractive':
    case 'prompt-api':
      if (colon >= 0) throw refuse(spec, `${kind} takes nothing after its name`);
      return { kind };
    case 'transformers':
      if (!modelName.test(rest))
        throw refuse(spec, 'the model must be a folder name such as SmolLM2-135M-Instruct');
      return { kind, model: rest };
    case 'wllama':
      if (!modelName.test(rest) || !rest.endsWith('.gguf'))
        throw refuse(spec, 'the file must be a path such as smollm2/SmolLM2-135M-Instruct.Q4_1.gguf');
      return { kind, model: rest };
    case 'webllm':
      if (!modelName.test(rest))
        throw refuse(spec, 'the model must be a folder name such as SmolLM2-135M-Instruct-q0f32-MLC');
      return { kind, model: rest };
    case 'openai':
      return { kind, ...endpoint(spec, rest) };
    default:
      throw refuse(spec, `there are no roles named "${kind}"`);
  }
}

/** Where a language model is to run; undefined where there is none here. */
export function generatorPlace({ kind }: RolesSpec): 'worker' | 'page' | undefined {
  switch (kind) {
    case 'transformers':
    case 'wllama':
    case 'webllm':
      return 'worker';
    case 'prompt-api':
      return 'page';
    case 'extractive':
    case 'openai':
      return undefined;
  }
}

function endpoint(spec: string, rest: string): { url: string; model: string } {
  if (!URL.canParse(rest)) throw refuse(spec, 'what follows openai: must be an absolute URL');
  const url = new URL(rest);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse(spec, 'the URL must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw refuse(spec, 'a key does not belong into the URL; give it as apiKey');
  const hash = rest.indexOf('#');
  const model = hash < 0 ? '' : rest.slice(hash + 1);
  if (model === '') throw refuse(spec, 'the model is missing: append #MODEL as the server names it');
  return { url: rest.slice(0, hash), model };
}

function refuse(spec: string, why: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', `Roles "${spec}": ${why}. Use ${forms}.`, {
    details: { spec },
  });
}

import type { LoadOptions } from '../embed/model-files.ts';
import { SelfIndexError } from '../base/errors.ts';
import type { GeneratorSpec } from './generator-spec.ts';
import type { LanguageModel } from './types.ts';

/** Loads a language model with its runtime, which is fetched only here: a worker never holds two of them for one model. */
export async function loadGenerator(spec: GeneratorSpec, options: LoadOptions = {}): Promise<LanguageModel> {
  switch (spec.runtime) {
    case 'wllama': {
      const { loadWllamaModel } = await import('./wllama/load-wllama.ts');
      return loadWllamaModel(spec, options);
    }
    case 'webllm': {
      const { loadWebLlmModel } = await import('./webllm/load-webllm.ts');
      return loadWebLlmModel(spec, options);
    }
    case 'prompt-api':
      throw new SelfIndexError(
        'device-unsupported',
        'Workers do not have the Prompt API: load it in the page.',
      );
    case 'transformers':
    case undefined: {
      const { loadTransformersModel } = await import('./transformers-model.ts');
      return loadTransformersModel(spec, options);
    }
  }
}

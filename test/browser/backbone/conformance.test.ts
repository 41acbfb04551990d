import { beforeAll } from 'vitest';
import type { GeneratorSpec } from '../../../src/backbone/generator-spec.ts';
import type { LanguageModel } from '../../../src/backbone/types.ts';
import { connectModel } from '../../../src/backbone/worker-model.ts';
import { conformsAsLanguageModel, type Promised } from '../../conformance/language-model.ts';
import { heldBytes } from '../fixtures/memory.ts';
import { generatorWorker } from '../fixtures/models.ts';

const base = '/test/fixtures/models/';

/** The runtimes that run here, each with a tiny random model. */
const runtimes: readonly (readonly [string, GeneratorSpec, Promised])[] = [
  [
    'transformers.js',
    { model: 'tiny-generator', base, dtype: 'fp32' },
    { schema: 'enforced', repeats: true, counts: true, bytes: heldBytes },
  ],
  [
    'llama.cpp',
    { runtime: 'wllama', model: 'tiny-llama/tiny.gguf', base },
    { schema: 'enforced', repeats: true, counts: true, bytes: heldBytes },
  ],
];

for (const [name, spec, promised] of runtimes) {
  let model: LanguageModel;
  beforeAll(async () => {
    model = await connectModel(generatorWorker('kept'), spec);
  });
  conformsAsLanguageModel(name, () => model, promised);
}

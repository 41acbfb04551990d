import type { AppConfig } from '@mlc-ai/web-llm';
import { sha256Hex } from '../../base/hash.ts';
import { canonicalJson } from '../../base/json.ts';
import type { LoadOptions } from '../../embed/model-files.ts';
import { requireGpu } from '../browser/device.ts';
import type { WebLlmSpec } from '../generator-spec.ts';
import type { LanguageModel } from '../types.ts';
import { WebLlmClient } from './client.ts';
import type { WebLlmWorker } from './client.ts';
import { webLlmError } from './failures.ts';
import { fetchRecord } from './record.ts';
import { WebLlmModel } from './webllm-model.ts';

/** Steps of `onProgress`: WebLLM says only which part is done. */
const steps = 1000;

/**
 * Loads a model into WebLLM, in a worker of its own, from the folder `spec.base + spec.model` and from nowhere else: WebLLM's own list
 * of models, which names other servers, is never used. The GPU is looked at before anything is fetched, and once more when
 * `webllm.json` has said what the model needs.
 *
 * @throws SelfIndexError `device-unsupported` where there is no GPU or it cannot compute as the model must; as `fetchRecord`;
 *   `model-corrupt` for a file with another hash; `model-not-found`, `out-of-memory` and `model-load-failed` for what WebLLM
 *   says. The signal's reason after an abort.
 */
export async function loadWebLlmModel(
  spec: WebLlmSpec,
  { signal, onProgress }: LoadOptions = {},
  start: () => WebLlmWorker = ownWorker,
): Promise<LanguageModel> {
  const { model } = spec;
  signal?.throwIfAborted();
  // The names of MLC's models say in which precision they compute: q4f16_1.
  await requireGpu(/q\d+f16/.test(model) ? ['shader-f16'] : []);
  const record = await fetchRecord(spec, signal);
  await requireGpu(record.features);

  const client = new WebLlmClient(start(), (progress) => onProgress?.(Math.round(progress * steps), steps));
  const stop = () => client.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const config: AppConfig = {
      model_list: [
        {
          model: record.model,
          model_id: model,
          model_lib: record.library,
          required_features: [...record.features],
          overrides: { context_window_size: record.contextTokens },
          integrity: { ...record.integrity, onFailure: 'error' },
        },
      ],
      cacheBackend: 'cache',
    };
    client.tell('setAppConfig', config);
    await client.call('reload', { modelId: [model] });
    signal?.throwIfAborted();
    const revision = sha256Hex(canonicalJson([record.integrity, record.library])).slice(0, 16);
    return new WebLlmModel(client, model, `webllm:${model}@${revision}`, record.contextTokens);
  } catch (error) {
    client.terminate();
    signal?.throwIfAborted();
    throw webLlmError(model, error, 'model-load-failed');
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

function ownWorker(): Worker {
  return new Worker(new URL('../../../workers/webllm.worker.ts', import.meta.url), { type: 'module' });
}

import { ModelStore } from '../../models/browser/connect-models.ts';

/** Starts the models' worker; it fetches nothing by itself. */
export function openStore(): ModelStore {
  return new ModelStore(
    new Worker(new URL('../../../workers/models.worker.ts', import.meta.url), { type: 'module' }),
  );
}

import { getContext, setContext } from 'svelte';
import type { ModelsState } from '../state/models.svelte.ts';

const key = Symbol('models');

export function provideModels(models: ModelsState): void {
  setContext(key, models);
}

export function useModels(): ModelsState {
  return getContext<ModelsState>(key);
}

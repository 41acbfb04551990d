import { getContext, setContext } from 'svelte';
import type { AppState } from './state/app.svelte.ts';

const key = Symbol('app');

export function provideApp(app: AppState): void {
  setContext(key, app);
}

export function useApp(): AppState {
  return getContext<AppState>(key);
}

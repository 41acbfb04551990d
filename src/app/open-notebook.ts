import type { ConnectedIndex } from '../evolve/types.ts';
import { connectEngine } from '../evolve/remote/connect-engine.ts';

/** The one notebook of this page. */
const name = 'notes';

/** Opens it in the engine worker: kept in IndexedDB, searched by words, evolved by rules. */
export function openNotebook(): Promise<ConnectedIndex> {
  return connectEngine({ name, store: 'indexeddb', roles: 'extractive' });
}

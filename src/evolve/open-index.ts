import type { Embedder } from '../embed/types.ts';
import { cachedEmbedder } from '../embed/cached-embedder.ts';
import { extractiveRoles } from '../roles/extractive/roles.ts';
import type { Roles } from '../roles/types.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { IndexStore } from '../store/types.ts';
import { defaultSettings, IndexEngine } from './index-engine.ts';
import { makeMachinery } from './machinery.ts';
import type { IndexState } from './state.ts';
import { alone, type Tabs } from './tabs.ts';
import type { IndexSettings, SelfIndex } from './types.ts';

export interface OpenOptions extends Partial<IndexSettings> {
  /** Default: in memory, gone when closed. `openIndexedDbStore(name)` keeps it. */
  readonly store?: IndexStore;
  /** Who diagnoses, revises, judges and simulates. Default: the extractive roles, which need no model. */
  readonly roles?: Roles | ((state: IndexState) => Promise<Roles>);
  /** Needed for `dense` and `hybrid`. Its vectors are kept in the store. */
  readonly embedder?: Embedder;
  /** How tabs agree; default: nobody else has this index open. */
  readonly tabs?: Tabs;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970, for the dates of versions. */
  readonly now?: () => number;
}

/** Opens an index in this thread (design.md §7). In a page use `connectEngine`, so that typing never waits. */
export async function openIndex(name: string, options: OpenOptions = {}): Promise<SelfIndex> {
  const store = options.store ?? createMemoryStore(name);
  const { roles = extractiveRoles(), retriever, aggregate, keyBudget, depth } = options;
  const embedder = options.embedder && cachedEmbedder(options.embedder, store.vectors);
  const chosen = Object.entries({ retriever, aggregate, keyBudget, depth }).filter(
    ([, value]) => value !== undefined,
  );
  const settings: IndexSettings = { ...defaultSettings, ...Object.fromEntries(chosen) };
  return IndexEngine.open(
    {
      store,
      tabs: options.tabs ?? alone,
      machinery: makeMachinery(settings.retriever, { embedder }),
      settings,
      makeRoles: typeof roles === 'function' ? roles : async () => roles,
      now: options.now,
    },
    options.signal,
  );
}

/** A new index with what a file of `export()` holds; its options as for `openIndex`. */
export async function importIndex(file: Blob, name: string, options: OpenOptions = {}): Promise<SelfIndex> {
  const index = await openIndex(name, options);
  try {
    await index.import(file);
    return index;
  } catch (error) {
    await index.close();
    throw error;
  }
}

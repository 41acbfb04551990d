import type { LanguageModel } from '../backbone/types.ts';
import type { PairScorer } from '../embed/pair-scorer.ts';
import type { Embedder } from '../embed/types.ts';
import { cachedEmbedder } from '../embed/cached-embedder.ts';
import type { RetrieverKind } from '../retrieve/types.ts';
import { extractiveRoles } from '../roles/extractive/roles.ts';
import { parseJudgeSpec } from '../roles/judges/spec.ts';
import { combineRoles } from '../roles/mixed.ts';
import type { Roles } from '../roles/types.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { IndexStore } from '../store/types.ts';
import { defaultSettings, IndexEngine } from './index-engine.ts';
import { checkJudge } from './judge-means.ts';
import { makeJudge, whatIsThere, type JudgeParts } from './make-judge.ts';
import { makeMachinery } from './machinery.ts';
import type { IndexState } from './state.ts';
import { alone, type Tabs } from './tabs.ts';
import type { IndexSettings, SelfIndex } from './types.ts';

export interface OpenOptions extends Partial<IndexSettings> {
  /** Default: in memory, gone when closed. `openIndexedDbStore(name)` keeps it. */
  readonly store?: IndexStore;
  /** Who diagnoses, revises, judges and simulates. Default: the extractive roles, which need no model. */
  readonly roles?: Roles | ((state: IndexState) => Promise<Roles>);
  /** Takes the place of the roles' judge; as `EngineSpec.judge`. */
  readonly judge?: string;
  /** The language model that `judge` asks for `prompted` and `claims`; it may be another than the roles'. */
  readonly judgeModel?: LanguageModel;
  /** Loads the model of `crossencoder:MODEL` and `nli:MODEL`, as `connectPairScorer` does; the caller disposes of it. */
  readonly loadScorer?: (model: string) => Promise<PairScorer>;
  /** Needed for `dense` and `hybrid`. Its vectors are kept in the store. */
  readonly embedder?: Embedder;
  /** How tabs agree; default: nobody else has this index open. */
  readonly tabs?: Tabs;
  readonly signal?: AbortSignal;
  /** Milliseconds since 1970, for the dates of versions. */
  readonly now?: () => number;
}

/**
 * Opens an index in this thread (design.md §7). In a page use `connectEngine`, so that typing never waits.
 * @throws SelfIndexError `invalid-argument` for settings, or a judge, that are not understood or lack what they need
 */
export async function openIndex(name: string, options: OpenOptions = {}): Promise<SelfIndex> {
  const store = options.store ?? createMemoryStore(name);
  const { roles = extractiveRoles(), retriever, aggregate, keyBudget, depth } = options;
  const embedder = options.embedder && cachedEmbedder(options.embedder, store.vectors);
  const chosen = Object.entries({ retriever, aggregate, keyBudget, depth }).filter(
    ([, value]) => value !== undefined,
  );
  const settings: IndexSettings = { ...defaultSettings, ...Object.fromEntries(chosen) };
  const means = { embedder, model: options.judgeModel, loadScorer: options.loadScorer };
  const make = typeof roles === 'function' ? roles : async () => roles;
  return IndexEngine.open(
    {
      store,
      tabs: options.tabs ?? alone,
      machinery: makeMachinery(settings.retriever, { embedder }),
      settings,
      makeRoles:
        options.judge === undefined ? make : judgedBy(make, options.judge, means, settings.retriever),
      now: options.now,
    },
    options.signal,
  );
}

/** The same roles with another judge. */
function judgedBy(
  make: (state: IndexState) => Promise<Roles>,
  spec: string,
  means: JudgeParts,
  retriever: RetrieverKind,
): (state: IndexState) => Promise<Roles> {
  const parts = parseJudgeSpec(spec);
  checkJudge(parts, { ...whatIsThere(means), retriever });
  return async (state) =>
    combineRoles({
      ...(await make(state)),
      judge: await makeJudge(parts, means, state),
      description: undefined,
    });
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

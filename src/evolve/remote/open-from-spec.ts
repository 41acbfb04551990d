import { connectEmbedderHost } from '../../embed/worker-embedder.ts';
import { acquireWriter } from '../../store/browser/locks.ts';
import { VersionNews } from '../../store/browser/tabs.ts';
import { openIndexedDbStore } from '../../store/indexeddb.ts';
import type { RetrieverKind } from '../../retrieve/types.ts';
import { createMemoryStore } from '../../store/memory.ts';
import type { IndexStore } from '../../store/types.ts';
import { SelfIndexError } from '../../base/errors.ts';
import { defaultSettings, IndexEngine } from '../index-engine.ts';
import { checkRoles } from '../judge-means.ts';
import { makeMachinery } from '../machinery.ts';
import { alone, type Tabs } from '../tabs.ts';
import type { EngineSpec } from '../types.ts';
import { EmbedderHolder } from './embedder-holder.ts';
import { RoleHolder } from './role-holder.ts';

/** Ports to the services of the model workers, where the spec asks for them. */
export interface ModelPorts {
  readonly embedder?: MessagePort;
  readonly generator?: MessagePort;
}

export interface Opened {
  readonly engine: IndexEngine;
  readonly roles: RoleHolder;
  readonly embedder: EmbedderHolder | undefined;
}

/** Opens an index as a spec says; runs in the engine worker. */
export async function openFromSpec(spec: EngineSpec, ports: ModelPorts): Promise<Opened> {
  const settings = { ...defaultSettings, ...spec.settings };
  checkRoles(spec, settings.retriever);
  const store = spec.store === 'memory' ? createMemoryStore(spec.name) : await openIndexedDbStore(spec.name);
  const embedder = await openEmbedder(spec, ports, settings.retriever, store, () => roles.dispose());
  const { roles: named, judge, generator, prompts, apiKey } = spec;
  const roles = new RoleHolder(
    { roles: named, judge, generator, prompts, apiKey },
    ports,
    store,
    () => embedder?.current,
    settings.retriever,
  );
  const engine = await IndexEngine.open({
    store,
    tabs: spec.store === 'memory' ? alone : browserTabs(spec.name),
    machinery: makeMachinery(settings.retriever, { embedder: embedder?.current }),
    settings,
    makeRoles: (state) => roles.roles(state),
    ...(spec.instant && {
      ready: async (signal: AbortSignal) => embedder?.ready(signal),
      standIn: () => embedder?.standIn(),
    }),
    async dispose() {
      await roles.dispose();
      await embedder?.dispose();
    },
  });
  await embedder?.begin(engine);
  return { engine, roles, embedder };
}

/** @param onChange what must not outlive an embedder that another has taken the place of */
async function openEmbedder(
  { embedder, instant }: EngineSpec,
  ports: ModelPorts,
  retriever: RetrieverKind,
  store: IndexStore,
  onChange: () => Promise<void>,
): Promise<EmbedderHolder | undefined> {
  if (!embedder) return undefined;
  if (!ports.embedder) throw new SelfIndexError('invalid-argument', 'An embedder needs its worker.');
  const host = connectEmbedderHost(ports.embedder);
  try {
    return await EmbedderHolder.open(
      { embedder, retriever, ...(instant && { instant }) },
      { host, store, onChange },
    );
  } catch (error) {
    host.terminate();
    throw error;
  }
}

function browserTabs(name: string): Tabs {
  const news = new VersionNews(name);
  return {
    acquireWriter: () => acquireWriter(name),
    announce: (version) => news.announce(version),
    onVersion: (listener) => news.onVersion(listener),
  };
}

import { cachedEmbedder } from '../../embed/cached-embedder.ts';
import { connectEmbedder } from '../../embed/worker-embedder.ts';
import { acquireWriter } from '../../store/browser/locks.ts';
import { VersionNews } from '../../store/browser/tabs.ts';
import { openIndexedDbStore } from '../../store/indexeddb.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { SelfIndexError } from '../../base/errors.ts';
import { defaultSettings, IndexEngine } from '../index-engine.ts';
import { checkRoles } from '../judge-means.ts';
import { makeMachinery } from '../machinery.ts';
import { alone, type Tabs } from '../tabs.ts';
import type { EngineSpec } from '../types.ts';
import { RoleHolder } from './role-holder.ts';

/** Ports to the services of the model workers, where the spec asks for them. */
export interface ModelPorts {
  readonly embedder?: MessagePort;
  readonly generator?: MessagePort;
}

export interface Opened {
  readonly engine: IndexEngine;
  readonly roles: RoleHolder;
}

/** Opens an index as a spec says; runs in the engine worker. */
export async function openFromSpec(spec: EngineSpec, ports: ModelPorts): Promise<Opened> {
  const settings = { ...defaultSettings, ...spec.settings };
  checkRoles(spec, settings.retriever);
  const store = spec.store === 'memory' ? createMemoryStore(spec.name) : await openIndexedDbStore(spec.name);
  const loaded = await loadEmbedder(spec, ports);
  const embedder = loaded && cachedEmbedder(loaded, store.vectors);
  const { roles: named, judge, generator, apiKey } = spec;
  const roles = new RoleHolder(
    { roles: named, judge, generator, apiKey },
    ports,
    store,
    embedder,
    settings.retriever,
  );
  const engine = await IndexEngine.open({
    store,
    tabs: spec.store === 'memory' ? alone : browserTabs(spec.name),
    machinery: makeMachinery(settings.retriever, { embedder }),
    settings,
    makeRoles: (state) => roles.roles(state),
    async dispose() {
      await roles.dispose();
      await embedder?.dispose();
    },
  });
  return { engine, roles };
}

async function loadEmbedder({ embedder }: EngineSpec, ports: ModelPorts) {
  if (!embedder) return undefined;
  if (!ports.embedder) throw new SelfIndexError('invalid-argument', 'An embedder needs its worker.');
  return connectEmbedder(ports.embedder, embedder);
}

function browserTabs(name: string): Tabs {
  const news = new VersionNews(name);
  return {
    acquireWriter: () => acquireWriter(name),
    announce: (version) => news.announce(version),
    onVersion: (listener) => news.onVersion(listener),
  };
}

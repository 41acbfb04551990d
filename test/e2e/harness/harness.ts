import { connectEngine } from '../../../src/evolve/remote/connect-engine.ts';
import type { EngineSpec, EvolveEvent, EvolveOptions, SelfIndex } from '../../../src/evolve/types.ts';
import type { Document } from '../../../src/corpus/types.ts';

/** What a test sees of an index: everything that a killed and resumed run must share with one that was never killed. */
export interface EndState {
  readonly version: number;
  readonly versions: readonly unknown[];
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly revisions: readonly unknown[];
  readonly rankings: readonly (readonly string[])[];
}

export interface Harness {
  open(spec: EngineSpec): Promise<number>;
  add(documents: readonly Document[]): Promise<void>;
  /** Starts and goes on in the background; `wait` waits for the end. */
  start(options: Omit<EvolveOptions, 'signal'>): void;
  resume(): void;
  wait(): Promise<EvolveEvent['type'] | null>;
  unfinished(): Promise<boolean>;
  endState(queries: readonly string[]): Promise<EndState>;
  version(): Promise<number>;
  code(work: 'evolve'): Promise<string>;
  news(): readonly number[];
  close(): Promise<void>;
}

let index: SelfIndex;
let running: Promise<EvolveEvent['type'] | null> = Promise.resolve(null);
const heard: number[] = [];

async function drain(events: AsyncIterable<EvolveEvent>): Promise<EvolveEvent['type'] | null> {
  let last: EvolveEvent['type'] | null = null;
  for await (const event of events) last = event.type;
  return last;
}

/** Times and what a cache saved differ between two runs; nothing else may. */
function comparable(value: unknown): unknown {
  const leftOut = new Set(['at', 'usage', 'milliseconds', 'startedAt']);
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (leftOut.has(key) ? undefined : item)));
}

const harness: Harness = {
  async open(spec) {
    index = await connectEngine(spec);
    index.onVersion((version) => heard.push(version));
    return index.currentVersion();
  },
  add: (documents) => index.add(documents),
  start(options) {
    running = drain(index.evolve(options));
    running.catch(() => undefined);
  },
  resume() {
    running = drain(index.resume());
    running.catch(() => undefined);
  },
  wait: () => running,
  unfinished: async () => (await index.unfinished()) !== null,
  async endState(queries) {
    const documents = await index.documents();
    const keys: Record<string, string[]> = {};
    for (const { id } of documents) keys[id] = (await index.keys(id)).map((key) => `${key.id} ${key.text}`);
    const versions = await index.versions();
    const revisions = await Promise.all(versions.map(({ version }) => index.revisions(version)));
    const rankings = await index.rankings(queries);
    return {
      version: await index.currentVersion(),
      versions: versions.map(comparable),
      keys,
      revisions: revisions.map(comparable),
      rankings: rankings.map((hits) => hits.map((hit) => `${hit.documentId} ${hit.score}`)),
    };
  },
  version: () => index.currentVersion(),
  async code() {
    try {
      await drain(index.evolve({ batch: 4 }));
      return 'none';
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  },
  news: () => heard,
  close: () => index.close(),
};

declare global {
  var harness: Harness | undefined;
}
globalThis.harness = harness;

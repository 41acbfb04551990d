import type { Document } from '../../../src/corpus/types.ts';
import { cachedEmbedder } from '../../../src/embed/cached-embedder.ts';
import type { Embedder } from '../../../src/embed/types.ts';
import { defaultSettings, IndexEngine } from '../../../src/evolve/index-engine.ts';
import { makeMachinery } from '../../../src/evolve/machinery.ts';
import { alone } from '../../../src/evolve/tabs.ts';
import { createKernel } from '../../../src/kernel/create.ts';
import { createReferenceKernel } from '../../../src/kernel/reference.ts';
import type { VectorKernel } from '../../../src/kernel/types.ts';
import { extractiveRoles } from '../../../src/roles/extractive/roles.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { createStandInEmbedder } from './stand-in-embedder.ts';

export interface EvolveTimes {
  /** Milliseconds. */
  readonly indexing: number;
  readonly evolving: number;
  /** Of `evolving`: within the kernel, by operation, and within the embedder. */
  readonly kernel: Readonly<Record<string, number>>;
  readonly embedding: number;
  /** Generated keys, each after its document. */
  readonly keys: readonly string[];
  readonly verdicts: number;
  /** Keys and verdicts, every score to the last bit: equal where the evolutions were. */
  readonly outcome: string;
}

export interface EvolveBench {
  run(documents: readonly Document[], kernel: 'reference' | 'fast', queries: number): Promise<EvolveTimes>;
}

const operations = ['add', 'remove', 'topK', 'topDocuments', 'pairs', 'maximum', 'rankCounts'];

/** The same kernel, its operations timed. */
function timedKernel(kernel: VectorKernel, times: Record<string, number>): VectorKernel {
  return new Proxy(kernel, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const start = performance.now();
        try {
          return Reflect.apply(value, target, given);
        } finally {
          if (operations.includes(String(name))) {
            times[String(name)] = (times[String(name)] ?? 0) + performance.now() - start;
          }
        }
      };
    },
  });
}

function timedEmbedder(embedder: Embedder, times: { embedding: number }): Embedder {
  return {
    ...embedder,
    async embed(...given) {
      const start = performance.now();
      try {
        return await embedder.embed(...given);
      } finally {
        times.embedding += performance.now() - start;
      }
    },
  };
}

const bench: EvolveBench = {
  async run(documents, which, queries) {
    const times = { embedding: 0 };
    let kernels: Record<string, number> = {};
    const store = createMemoryStore('bench');
    const embedder = timedEmbedder(cachedEmbedder(createStandInEmbedder(), store.vectors), times);
    const makeKernel = async (dimensions: number) =>
      timedKernel(
        which === 'fast' ? await createKernel(dimensions) : createReferenceKernel(dimensions),
        kernels,
      );
    const settings = { ...defaultSettings, retriever: 'dense' as const };
    const engine = await IndexEngine.open({
      store,
      tabs: alone,
      machinery: makeMachinery('dense', { embedder, makeKernel }),
      settings,
      makeRoles: async () => extractiveRoles(),
    });
    const start = performance.now();
    await engine.add(documents);
    const indexed = performance.now();
    for (const name of Object.keys(kernels)) delete kernels[name];
    times.embedding = 0;
    // A guard that undid the iteration would leave no keys to compare.
    const guard = { rollback: false };
    for await (const event of engine.evolve({ iterations: 1, batch: queries, guard })) void event;
    const evolving = performance.now() - indexed;
    const kernel = { ...kernels };
    kernels = {};
    const { embedding } = times;
    const revisions = await engine.revisions(await engine.currentVersion());
    const verdicts = revisions.flatMap((revision) => revision.verdicts);
    const keys: string[] = [];
    for (const { id } of documents) {
      for (const { text, kind } of await engine.keys(id))
        if (kind === 'generated') keys.push(`${id} ${text}`);
    }
    await engine.close();
    return {
      indexing: indexed - start,
      evolving,
      kernel,
      embedding,
      keys,
      verdicts: verdicts.length,
      outcome: JSON.stringify([keys, verdicts]),
    };
  },
};

declare global {
  var evolveBench: EvolveBench | undefined;
}
globalThis.evolveBench = bench;

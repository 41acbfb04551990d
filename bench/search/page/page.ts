import { connectEngine } from '../../../src/evolve/remote/connect-engine.ts';
import type { Document } from '../../../src/corpus/types.ts';

export interface SearchTimes {
  readonly searches: number;
  /** Milliseconds from the page's call to the page's result: median, 95th percentile, worst. */
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
  /** Tasks of the page above 50 ms, in milliseconds. */
  readonly longTasks: readonly number[];
  /** What the evolution was doing at the slowest searches. */
  readonly slowest: readonly { readonly milliseconds: number; readonly stage: string }[];
}

export interface SearchBench {
  /** Indexes the documents; milliseconds. */
  open(documents: readonly Document[]): Promise<number>;
  /** Searches one after the other, a pause between them, until `milliseconds` are over. */
  quiet(queries: readonly string[], milliseconds: number): Promise<SearchTimes>;
  /** The same for as long as an evolution runs. */
  evolving(
    queries: readonly string[],
    iterations: number,
  ): Promise<SearchTimes & { readonly seconds: number }>;
}

/** A fast typist's pause between two keys. */
const pause = 60;

const index = await connectEngine({ name: 'bench', store: 'memory', roles: 'extractive' });

async function measure(
  queries: readonly string[],
  goesOn: () => boolean,
  stage: () => string,
): Promise<SearchTimes> {
  const longTasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(Math.round(entry.duration));
  });
  observer.observe({ type: 'longtask' });
  const times: { milliseconds: number; stage: string }[] = [];
  for (let i = 0; goesOn(); i++) {
    const start = performance.now();
    await index.search(queries[i % queries.length]);
    times.push({ milliseconds: performance.now() - start, stage: stage() });
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  observer.disconnect();
  const sorted = times.map((time) => time.milliseconds).sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return {
    searches: sorted.length,
    median: at(0.5),
    p95: at(0.95),
    worst: sorted.at(-1) ?? 0,
    longTasks,
    slowest: [...times].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, 12),
  };
}

const bench: SearchBench = {
  async open(documents) {
    const start = performance.now();
    await index.add(documents);
    return performance.now() - start;
  },
  async quiet(queries, milliseconds) {
    const end = performance.now() + milliseconds;
    return measure(
      queries,
      () => performance.now() < end,
      () => 'quiet',
    );
  },
  async evolving(queries, iterations) {
    let running = true;
    let stage = 'start';
    const start = performance.now();
    const evolution = (async () => {
      for await (const event of index.evolve({ iterations })) if (event.type === 'stage') stage = event.stage;
    })().finally(() => (running = false));
    const times = await measure(
      queries,
      () => running,
      () => stage,
    );
    await evolution;
    return { ...times, seconds: (performance.now() - start) / 1000 };
  },
};

declare global {
  var searchBench: SearchBench | undefined;
}
globalThis.searchBench = bench;

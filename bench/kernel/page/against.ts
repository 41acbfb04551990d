import { k, build, fill } from './kernels.ts';
import { interleave } from './measure.ts';
import { collectionOf } from './sections.ts';

export interface PeerReport {
  readonly peer: string;
  readonly kind: 'exact' | 'hnsw';
  readonly keys: number;
  /** Milliseconds. */
  readonly build: number;
  readonly median: number;
  readonly recall: number;
  /** The kernel's own, in the same interleaved run. */
  readonly ourBuild: number;
  readonly ourMedian: number;
}

export interface PeerNames {
  readonly run: Readonly<Record<string, 'exact' | 'hnsw'>>;
  /** Those that do not run in a browser, and why. */
  readonly notRun: Readonly<Record<string, string>>;
}

/** Loaded when it is asked for: where peers are not installed the page works without. */
const load = () => import('./vector-peers.js');

export async function peerNames(): Promise<PeerNames> {
  const { notRun, vectorPeers } = await load();
  return {
    run: Object.fromEntries(Object.entries(vectorPeers).map(([name, { kind }]) => [name, kind])),
    notRun,
  };
}

/** One peer and the int8 kernel on the same rows, query by query in turn. */
export async function against(
  peer: string,
  keys: number,
  dimensions: number,
  rounds: number,
): Promise<PeerReport> {
  const { vectorPeers } = await load();
  const { vectors, queries } = collectionOf(keys, dimensions);
  const { kernel } = await build('relaxed', 'int8', dimensions);
  let start = performance.now();
  fill(kernel, vectors);
  const ourBuild = performance.now() - start;
  const rows = Array.from({ length: keys }, (_, row) =>
    vectors.slice(row * dimensions, (row + 1) * dimensions),
  );
  start = performance.now();
  const search = await vectorPeers[peer].load(rows, dimensions);
  const built = performance.now() - start;
  const at = (round: number) => queries.slice((round % 128) * dimensions, ((round % 128) + 1) * dimensions);
  const exact = kernel.topK(queries, k);
  let hits = 0;
  const asked = 32;
  for (let q = 0; q < asked; q++) {
    const wanted = new Set(exact.rows.subarray(q * k, (q + 1) * k));
    for (const row of await search(at(q), k)) if (wanted.has(row)) hits++;
  }
  const [ours, theirs] = await interleave(
    [
      { name: 'kernel', run: (round) => kernel.topK(at(round), k) },
      { name: peer, run: (round) => search(at(round), k) },
    ],
    rounds,
  );
  return {
    peer,
    kind: vectorPeers[peer].kind,
    keys,
    build: built,
    median: theirs.median,
    recall: hits / (asked * k),
    ourBuild,
    ourMedian: ours.median,
  };
}

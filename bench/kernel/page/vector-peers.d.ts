export interface VectorPeer {
  readonly kind: 'exact' | 'hnsw';
  load(rows: readonly Float32Array[], dimensions: number): Promise<PeerSearch>;
}

/** Numbers of the best k rows. */
export type PeerSearch = (query: Float32Array, k: number) => readonly number[] | Promise<readonly number[]>;

export const vectorPeers: Readonly<Record<string, VectorPeer>>;
export const notRun: Readonly<Record<string, string>>;

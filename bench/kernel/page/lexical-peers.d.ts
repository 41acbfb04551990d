export interface LexicalIndex {
  /** Numbers of the best texts. */
  search(query: string, limit: number): readonly number[] | Promise<readonly number[]>;
  /** Bytes of the serialised index. */
  serialise(): number | Promise<number>;
}

export const lexicalPeers: Readonly<Record<string, (texts: readonly string[]) => Promise<LexicalIndex>>>;

/** Which tokens may come next in one answer. */
export interface TokenMask {
  /** Sets the logits of tokens that may not come next to -Infinity. */
  apply(logits: Float32Array): Promise<void>;
  /** Tells it which token came. */
  accept(token: number): void;
  dispose(): void;
}

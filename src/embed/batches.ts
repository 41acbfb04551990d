/**
 * Which texts go into which batch: sorted by length, so that little is padded, at most `mostTexts` and at most `mostTokens`
 * padded tokens together (a longer text goes alone). Longest first: what will not fit in memory fails at once.
 * Returns indices; deterministic.
 */
export function planBatches(lengths: readonly number[], mostTexts: number, mostTokens: number): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const index of order) {
    const width = lengths[batch[0] ?? index];
    if (batch.length > 0 && (batch.length === mostTexts || (batch.length + 1) * width > mostTokens)) {
      batches.push(batch);
      batch = [];
    }
    batch.push(index);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

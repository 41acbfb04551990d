/** The best rows of each query by inner product in 64-bit arithmetic, ties by lowest row: nothing of the kernel's. */
export function exactBest(
  rows: Float32Array,
  queries: Float32Array,
  dimensions: number,
  k: number,
): number[][] {
  const lists: number[][] = [];
  for (let q = 0; q < queries.length; q += dimensions) {
    const best: { row: number; score: number }[] = [];
    for (let at = 0, row = 0; at < rows.length; at += dimensions, row++) {
      let score = 0;
      for (let i = 0; i < dimensions; i++) score += rows[at + i] * queries[q + i];
      if (best.length === k && score <= best[k - 1].score) continue;
      let place = best.length;
      while (place > 0 && best[place - 1].score < score) place--;
      best.splice(place, 0, { row, score });
      if (best.length > k) best.pop();
    }
    lists.push(best.map(({ row }) => row));
  }
  return lists;
}

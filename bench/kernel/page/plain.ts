/** What people write by hand: the two yardsticks of kernel.md. */

export interface Hit {
  readonly row: number;
  readonly score: number;
}

/** An array of all scores, sorted. */
export function naive(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Hit[] {
  const scores: Hit[] = [];
  for (let row = 0; row < vectors.length / dimensions; row++) {
    let score = 0;
    for (let i = 0; i < dimensions; i++) score += vectors[row * dimensions + i] * query[i];
    scores.push({ row, score });
  }
  return scores.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, k);
}

/** Four accumulators, the best k kept while scanning. */
export function good(vectors: Float32Array, dimensions: number, query: Float32Array, k: number): Hit[] {
  const best: Hit[] = [];
  let bar = -Infinity;
  for (let row = 0, at = 0; at < vectors.length; row++, at += dimensions) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < dimensions; i += 4) {
      a += vectors[at + i] * query[i];
      b += vectors[at + i + 1] * query[i + 1];
      c += vectors[at + i + 2] * query[i + 2];
      d += vectors[at + i + 3] * query[i + 3];
    }
    const score = a + b + (c + d);
    if (score <= bar) continue;
    let place = best.length;
    while (place > 0 && best[place - 1].score < score) place--;
    best.splice(place, 0, { row, score });
    if (best.length > k) best.pop();
    if (best.length === k) bar = best[k - 1].score;
  }
  return best;
}

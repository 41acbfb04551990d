/** The k-th largest of the numbers offered: below it nothing can be among the best k. */
export class Threshold {
  private heap = new Float64Array(16);
  private count = 0;
  private limit = 0;

  reset(limit: number): void {
    if (this.heap.length < limit) this.heap = new Float64Array(limit);
    this.limit = limit;
    this.count = 0;
  }

  /** −Infinity while fewer than k were offered. */
  get value(): number {
    if (this.limit === 0) return Infinity;
    return this.count < this.limit ? -Infinity : this.heap[0];
  }

  offer(score: number): void {
    const { heap, limit } = this;
    if (this.count < limit) {
      let position = this.count++;
      while (position > 0) {
        const parent = (position - 1) >> 1;
        if (heap[parent] <= score) break;
        heap[position] = heap[parent];
        position = parent;
      }
      heap[position] = score;
    } else if (limit > 0 && score > heap[0]) {
      let position = 0;
      for (let child = 1; child < limit; child = 2 * position + 1) {
        if (child + 1 < limit && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= score) break;
        heap[position] = heap[child];
        position = child;
      }
      heap[position] = score;
    }
  }
}

/**
 * Keeps the best `k` of what is offered, score descending and ties by lowest number. An append buffer rather than a
 * heap: most offers fail one comparison with the threshold, the others cost one store.
 */
export class BestK {
  private readonly entries: { number: number; score: number }[] = [];
  private threshold = -Infinity;
  private readonly capacity: number;

  constructor(private readonly k: number) {
    this.capacity = Math.max(128, 2 * k);
  }

  offer(number: number, score: number): void {
    if (score < this.threshold) return;
    this.entries.push({ number, score });
    if (this.entries.length >= this.capacity) this.shrink();
  }

  /** The best, in order. */
  sorted(): readonly { number: number; score: number }[] {
    this.shrink();
    return this.entries;
  }

  private shrink(): void {
    this.entries.sort((a, b) => b.score - a.score || a.number - b.number);
    if (this.entries.length > this.k) this.entries.length = this.k;
    if (this.entries.length === this.k) this.threshold = this.entries[this.k - 1].score;
  }
}

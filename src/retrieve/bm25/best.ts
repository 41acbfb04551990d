import { compareIds } from '../../base/order.ts';

/** The best items offered so far: score descending, ties by id. A heap whose root is the worst of them. */
export class Best {
  private readonly scores: number[] = [];
  private readonly items: number[] = [];
  /** What an item must at least score to be kept; −Infinity while there is room. */
  threshold: number;

  /** @param idOf the id by which ties of two items are broken */
  constructor(
    private readonly limit: number,
    private readonly idOf: (item: number) => string,
  ) {
    this.threshold = limit > 0 ? -Infinity : Infinity;
  }

  offer(score: number, item: number): void {
    const { scores, items, limit } = this;
    if (score < this.threshold) return;
    if (items.length < limit) {
      scores.push(score);
      items.push(item);
      this.rise(items.length - 1);
      if (items.length < limit) return;
    } else {
      if (!this.isWorse(0, score, item)) return;
      scores[0] = score;
      items[0] = item;
      this.sink();
    }
    this.threshold = scores[0];
  }

  /** Best first. */
  sorted(): { score: number; item: number }[] {
    return this.items
      .map((item, i) => ({ score: this.scores[i], item }))
      .sort((a, b) => b.score - a.score || compareIds(this.idOf(a.item), this.idOf(b.item)));
  }

  /** Does the item at `position` come after one of that score? */
  private isWorse(position: number, score: number, item: number): boolean {
    const own = this.scores[position];
    return own < score || (own === score && compareIds(this.idOf(this.items[position]), this.idOf(item)) > 0);
  }

  private rise(position: number): void {
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (this.isWorse(parent, this.scores[position], this.items[position])) break;
      this.swap(position, parent);
      position = parent;
    }
  }

  private sink(): void {
    const { items } = this;
    let position = 0;
    for (;;) {
      let worst = position;
      for (const child of [2 * position + 1, 2 * position + 2]) {
        if (child < items.length && this.isWorse(child, this.scores[worst], items[worst])) worst = child;
      }
      if (worst === position) return;
      this.swap(position, worst);
      position = worst;
    }
  }

  private swap(a: number, b: number): void {
    const { scores, items } = this;
    [scores[a], scores[b]] = [scores[b], scores[a]];
    [items[a], items[b]] = [items[b], items[a]];
  }
}

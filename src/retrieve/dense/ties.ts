import { byScoreThenId } from '../../base/order.ts';

/** What a kernel answers: items by number, score descending, ties by lowest number. */
export interface NumberedTop {
  readonly k: number;
  readonly counts: Uint32Array;
  readonly items: Uint32Array;
  readonly scores: Float32Array;
}

export interface Scored {
  readonly item: number;
  readonly score: number;
}

const spare = 8;

/**
 * The best `limit` items per query with ties by id. A kernel breaks ties by number, so among equal scores at the
 * border it may have left out an item whose id comes first: then more are asked for, until the border is clear.
 */
export function bestByScoreThenId(
  queries: number,
  limit: number,
  available: number,
  top: (k: number) => NumberedTop,
  idOf: (item: number) => string,
): Scored[][] {
  for (let k = Math.min(available, limit + spare); ; k = Math.min(available, 2 * k)) {
    if (limit <= 0 || k <= 0) return Array.from({ length: queries }, () => []);
    const answer = top(k);
    const lists = Array.from({ length: queries }, (_, q) =>
      Array.from({ length: answer.counts[q] }, (_, i) => ({
        item: answer.items[q * answer.k + i],
        score: answer.scores[q * answer.k + i],
      })),
    );
    const clear = lists.every(
      (list) =>
        list.length <= limit || list.length < k || list[list.length - 1].score < list[limit - 1].score,
    );
    if (!clear && k < available) continue;
    return lists.map((list) =>
      list
        .sort(
          byScoreThenId(
            (s) => s.score,
            (s) => idOf(s.item),
          ),
        )
        .slice(0, limit),
    );
  }
}

import type { Pacer } from '../base/pacer.ts';
import type { Decoder, DecoderState } from './decoder.ts';
import { takeRows } from './kv-cache.ts';
import type { Sampler } from './sampling.ts';
import type { TokenMask } from './token-mask.ts';

export interface GenerationRow {
  readonly ids: readonly number[];
  readonly maxTokens: number;
  readonly sample: Sampler;
  /** What may be sampled; without one, anything. */
  readonly mask?: TokenMask;
}

/**
 * Continues all rows together until each has met an end token or its limit. A row that has ended takes no further part.
 * Returns the new tokens of each row, its end token left out.
 */
export async function generate(
  decoder: Decoder,
  rows: readonly GenerationRow[],
  endIds: ReadonlySet<number>,
  pacer: Pacer,
): Promise<number[][]> {
  const answers: number[][] = rows.map(() => []);
  let state = await decoder.readAll(
    rows.map((row) => row.ids),
    pacer,
  );
  let alive = rows.map((_, index) => index);
  for (;;) {
    const vocabulary = state.logits.length / alive.length;
    const tokens: number[] = [];
    for (const [place, index] of alive.entries()) {
      const logits = state.logits.subarray(place * vocabulary, (place + 1) * vocabulary);
      await rows[index].mask?.apply(logits);
      tokens.push(rows[index].sample(logits));
    }
    const going = alive.flatMap((index, place) => {
      if (endIds.has(tokens[place]) || rows[index].maxTokens <= answers[index].length) return [];
      answers[index].push(tokens[place]);
      rows[index].mask?.accept(tokens[place]);
      return answers[index].length < rows[index].maxTokens ? [place] : [];
    });
    if (going.length === 0) return answers;
    if (going.length < alive.length) state = keepRows(state, going);
    alive = going.map((place) => alive[place]);
    await pacer.pause();
    state = await decoder.next(
      going.map((place) => tokens[place]),
      state,
    );
  }
}

function keepRows(state: DecoderState, places: readonly number[]): DecoderState {
  return {
    ...state,
    cache: takeRows(state.cache, places),
    mask: places.map((place) => state.mask[place]),
  };
}

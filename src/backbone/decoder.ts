import { Tensor } from '@xenova/transformers';
import type { PreTrainedModel } from '@xenova/transformers';
import type { Pacer } from '../base/pacer.ts';
import { cacheOf, takeRows, takeTokens } from './kv-cache.ts';
import type { KvCache } from './kv-cache.ts';

/** Where a batch stands: the tokens seen so far, padding masked, and the logits of the last one of each row. */
export interface DecoderState {
  readonly cache: KvCache;
  /** One row of 0 and 1 per text, as long as the tokens in the cache. */
  readonly mask: readonly (readonly bigint[])[];
  /** Rows × vocabulary. */
  readonly logits: Float32Array;
}

/**
 * Tokens of one text in one pass. Boundaries lie at multiples of it from the start of the prompt, so that what dynamic int8
 * makes of a passage depends on the text alone and not on what was kept of an earlier one.
 */
const chunk = 64;

/** Tokens of a prompt beyond which its cache is not kept for the next: memory. */
const mostKept = 1024;

/** No token. */
const none = -1;

/**
 * A decoder-only model of transformers.js, run pass by pass: prompts in slices, so that an abort is noticed in time, and
 * what the prompts have in common at their start only once.
 */
export class Decoder {
  private kept: { readonly ids: readonly number[]; readonly cache: KvCache } | undefined;

  constructor(
    private readonly model: PreTrainedModel,
    private readonly padId: number,
    /** Tokens of all rows in one pass of a batch. */
    private readonly tokensPerPass: number,
    /** False where the cache is not in memory of the CPU. */
    private readonly canReuse: boolean,
  ) {}

  /** Reads one prompt. A pure function of its tokens; the part it shares with the prompt before is not computed again. */
  async readOne(ids: readonly number[], pacer: Pacer): Promise<DecoderState> {
    const state = await this.extend(ids, this.reusable(ids), pacer);
    this.keep(ids, state);
    return state;
  }

  /** Reads prompts together, padded after what they share. Depends on all of them where activations share a scale. */
  async readAll(rows: readonly (readonly number[])[], pacer: Pacer): Promise<DecoderState> {
    if (rows.length === 1) return this.readOne(rows[0], pacer);
    const shared = this.canReuse ? alignedPrefix(rows) : 0;
    let state: DecoderState | undefined;
    if (shared > 0) {
      const prefix = await this.readPrefix(rows[0].slice(0, shared), pacer);
      state = {
        cache: takeRows(
          prefix.cache,
          rows.map(() => 0),
        ),
        mask: rows.map(() => prefix.mask[0]),
        logits: prefix.logits,
      };
    }
    const width = Math.max(...rows.map((ids) => ids.length)) - shared;
    const padded = rows.map((ids) => {
      const padding = width - (ids.length - shared);
      return {
        ids: [...new Array<number>(padding).fill(this.padId), ...ids.slice(shared)],
        mask: [...new Array<bigint>(padding).fill(0n), ...new Array<bigint>(width - padding).fill(1n)],
      };
    });
    const step = Math.max(1, Math.floor(this.tokensPerPass / rows.length));
    for (let start = 0; start < width; start += step) {
      await pacer.pause();
      state = await this.pass(
        padded.map(({ ids }) => ids.slice(start, start + step)),
        padded.map(({ mask }) => mask.slice(start, start + step)),
        state,
      );
    }
    return state as DecoderState;
  }

  /** One more token per row. */
  next(tokens: readonly number[], state: DecoderState): Promise<DecoderState> {
    return this.pass(
      tokens.map((token) => [token]),
      tokens.map(() => [1n]),
      state,
    );
  }

  /** As `readOne`, without the logits of the last token. */
  private async readPrefix(ids: readonly number[], pacer: Pacer): Promise<DecoderState> {
    const state = await this.extend(ids, this.reusable([...ids, none]), pacer);
    this.keep(ids, state);
    return state;
  }

  private keep(ids: readonly number[], { cache }: DecoderState): void {
    this.kept = this.canReuse && ids.length <= mostKept ? { ids, cache } : undefined;
  }

  private async extend(ids: readonly number[], reused: number, pacer: Pacer): Promise<DecoderState> {
    let state: DecoderState | undefined;
    if (reused > 0 && this.kept)
      state = {
        cache: takeTokens(this.kept.cache, reused),
        mask: [new Array<bigint>(reused).fill(1n)],
        logits: new Float32Array(0),
      };
    for (let start = reused; start < ids.length; start += chunk) {
      await pacer.pause();
      const slice = ids.slice(start, start + chunk);
      state = await this.pass([slice], [new Array<bigint>(slice.length).fill(1n)], state);
    }
    return state as DecoderState;
  }

  /** Whole chunks in which this prompt begins as the one before did; its last token is always computed: its logits count. */
  private reusable(ids: readonly number[]): number {
    return this.kept ? alignedPrefix([ids, [...this.kept.ids, none - 1]]) : 0;
  }

  private async pass(
    ids: readonly (readonly number[])[],
    newMask: readonly (readonly bigint[])[],
    state: DecoderState | undefined,
  ): Promise<DecoderState> {
    const rows = ids.length;
    const mask = newMask.map((row, i) => (state ? [...state.mask[i], ...row] : row));
    const outputs = (await this.model.forward({
      input_ids: new Tensor('int64', BigInt64Array.from(ids.flat(), BigInt), [rows, ids[0].length]),
      attention_mask: new Tensor('int64', BigInt64Array.from(mask.flat()), [rows, mask[0].length]),
      num_logits_to_keep: new Tensor('int64', BigInt64Array.of(1n), []),
      ...(state && { past_key_values: state.cache }),
    })) as Record<string, Tensor>;
    return { cache: cacheOf(outputs), mask, logits: lastLogits(outputs.logits) };
  }
}

/** Length of what all rows share at their start, in whole chunks, at least one token short of each. */
function alignedPrefix(rows: readonly (readonly number[])[]): number {
  const most = Math.min(...rows.map((ids) => ids.length)) - 1;
  let length = 0;
  while (length < most && rows.every((ids) => ids[length] === rows[0][length])) length++;
  return length - (length % chunk);
}

function lastLogits({ dims, data }: Tensor): Float32Array {
  const [rows, tokens, vocabulary] = dims;
  const all = data as Float32Array;
  if (tokens === 1) return all;
  const last = new Float32Array(rows * vocabulary);
  for (let row = 0; row < rows; row++) {
    const end = (row + 1) * tokens * vocabulary;
    last.set(all.subarray(end - vocabulary, end), row * vocabulary);
  }
  return last;
}

import { SelfIndexError } from '../base/errors.ts';
import type { Fingerprint } from './types.ts';

/** Hidden states of a batch, row-major batch × tokens × dimensions, or sentence vectors, batch × dimensions. */
export interface HiddenStates {
  readonly dims: readonly number[];
  readonly data: unknown;
}

/**
 * One L2-normalised vector per row, over its first `lengths[row]` tokens (padding is on the right): their mean, the first's or
 * the last's state. States that are sentence vectors already are only normalised.
 *
 * @throws SelfIndexError `model-failed` where a vector has no finite length: the model computes nonsense on this device
 */
export function poolRows(
  { dims, data }: HiddenStates,
  lengths: readonly number[],
  pooling: Fingerprint['pooling'],
): { readonly rows: Float32Array[]; readonly dimensions: number } {
  const states = data as Float32Array;
  const dimensions = dims[dims.length - 1];
  const width = dims.length === 3 ? dims[1] : 1;
  const rows = lengths.map((length, row) => {
    const start = row * width * dimensions;
    const token = (index: number) =>
      states.subarray(start + index * dimensions, start + (index + 1) * dimensions);
    if (dims.length === 2 || pooling === 'cls') return normalise(Float64Array.from(token(0)));
    if (pooling === 'last') return normalise(Float64Array.from(token(length - 1)));
    const sum = new Float64Array(dimensions);
    for (let t = 0; t < length; t++) {
      const state = token(t);
      for (let d = 0; d < dimensions; d++) sum[d] += state[d];
    }
    return normalise(sum);
  });
  return { rows, dimensions };
}

/** The direction alone counts, so a sum serves as well as a mean. */
function normalise(vector: Float64Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (!(norm > 0 && norm < Infinity))
    throw new SelfIndexError(
      'model-failed',
      'The embedding model gave a vector without a finite length. Use another device or dtype.',
    );
  return Float32Array.from(vector, (x) => x / norm);
}

import { DynamicCache, Tensor } from '@xenova/transformers';

/** Keys and values of all layers by input name, each [rows, heads, tokens, width] in memory of the CPU. */
export type KvCache = DynamicCache;

/** The cache that a forward pass gave, under the names by which the next one takes it. */
export function cacheOf(outputs: Readonly<Record<string, Tensor>>): KvCache {
  const entries = Object.entries(outputs).filter(([name]) => name.startsWith('present'));
  return new DynamicCache(
    Object.fromEntries(entries.map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor])),
  );
}

/** The given rows, in that order; a row may be asked for many times. */
export function takeRows(cache: KvCache, rows: readonly number[]): KvCache {
  return mapTensors(cache, (tensor) => {
    const [, heads, tokens, width] = tensor.dims;
    const size = heads * tokens * width;
    const data = tensor.data as Float32Array;
    const taken = new Float32Array(rows.length * size);
    rows.forEach((row, i) => taken.set(data.subarray(row * size, (row + 1) * size), i * size));
    return new Tensor('float32', taken, [rows.length, heads, tokens, width]);
  });
}

/** The first `length` tokens of every row. */
export function takeTokens(cache: KvCache, length: number): KvCache {
  return mapTensors(cache, (tensor) => {
    const [rows, heads, tokens, width] = tensor.dims;
    const data = tensor.data as Float32Array;
    const taken = new Float32Array(rows * heads * length * width);
    for (let i = 0; i < rows * heads; i++)
      taken.set(data.subarray(i * tokens * width, (i * tokens + length) * width), i * length * width);
    return new Tensor('float32', taken, [rows, heads, length, width]);
  });
}

function mapTensors(cache: KvCache, map: (tensor: Tensor) => Tensor): KvCache {
  const entries = Object.entries<Tensor>(cache);
  return new DynamicCache(Object.fromEntries(entries.map(([name, tensor]) => [name, map(tensor)])));
}

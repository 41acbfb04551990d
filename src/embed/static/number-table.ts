import { SelfIndexError } from '../../base/errors.ts';
import type { StoredTensor } from './safetensors.ts';

/** The numbers of a tensor, read as they are asked for: a table in half precision stays at two bytes a number. */
export interface NumberTable {
  readonly length: number;
  readonly at: (index: number) => number;
}

const arrays = {
  F64: Float64Array,
  F32: Float32Array,
  F16: Uint16Array,
  I64: BigInt64Array,
  I32: Int32Array,
  I8: Int8Array,
} as const;

/** @throws SelfIndexError `model-corrupt` for another dtype, or a size that is not that of the shape */
export function numberTable({ dtype, shape, bytes }: StoredTensor): NumberTable {
  const make = arrays[dtype as keyof typeof arrays] as (typeof arrays)[keyof typeof arrays] | undefined;
  const count = shape.reduce((product, size) => product * size, 1);
  if (!make || bytes.length !== count * make.BYTES_PER_ELEMENT)
    throw new SelfIndexError(
      'model-corrupt',
      `A tensor of ${bytes.length} bytes is not ${shape.join(' × ')} numbers of type ${dtype} (${Object.keys(arrays).join(', ')} are read).`,
    );
  // Where its bytes do not begin at a multiple of the element's size, they are copied.
  const aligned = bytes.byteOffset % make.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  const numbers = new make(aligned.buffer, aligned.byteOffset, count);
  if (numbers instanceof BigInt64Array) return { length: count, at: (index) => Number(numbers[index]) };
  if (dtype !== 'F16') return { length: count, at: (index) => numbers[index] };
  const wide = halves();
  return { length: count, at: (index) => wide[numbers[index]] };
}

let decoded: Float32Array | undefined;

/** Every half-precision number by its bits: 256 KB, made once. */
function halves(): Float32Array {
  return (decoded ??= Float32Array.from({ length: 65_536 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }));
}

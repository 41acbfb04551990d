type Numbers = Uint8Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** The same array, or a copy at least twice as long where it is too short: appending stays linear in all. */
export function withCapacity<T extends Numbers>(array: T, length: number): T {
  if (array.length >= length) return array;
  const grown = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2));
  grown.set(array);
  return grown;
}

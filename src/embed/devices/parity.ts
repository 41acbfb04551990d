/** Below this cosine to the CPU's vectors a device computes something else than the model. */
export const leastParity = 0.98;

export interface Parity {
  readonly ok: boolean;
  /** Of all rows; NaN where a row has no direction. */
  readonly leastCosine: number;
  /** Why not ok, as the end of a sentence about the device. */
  readonly fault?: string;
}

/**
 * Whether a device's vectors are those that the CPU gives for the same texts.
 * @param found row-major |texts| × dimensions, as `expected`; lengths of vectors do not matter
 */
export function compareVectors(found: Float32Array, expected: Float32Array, dimensions: number): Parity {
  if (found.length !== expected.length || found.length === 0)
    return {
      ok: false,
      leastCosine: NaN,
      fault: `gives ${found.length} numbers instead of ${expected.length}`,
    };
  let least = Infinity;
  for (let start = 0; start < found.length; start += dimensions) {
    const cosine = cosineOf(
      found.subarray(start, start + dimensions),
      expected.subarray(start, start + dimensions),
    );
    if (!Number.isFinite(cosine))
      return { ok: false, leastCosine: NaN, fault: 'gives zeros or what is no number' };
    least = Math.min(least, cosine);
  }
  return least >= leastParity
    ? { ok: true, leastCosine: least }
    : {
        ok: false,
        leastCosine: least,
        fault: `gives other vectors than the CPU (cosine ${least.toFixed(3)}, at least ${leastParity} is asked)`,
      };
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / Math.sqrt(aa * bb);
}

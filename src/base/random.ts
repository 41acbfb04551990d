import { sha256Hex } from './hash.ts';

/** A seeded source of random numbers: same seed, same sequence, on every platform. */
export interface Random {
  /** Uniform in [0, 1), 32 bits. */
  next(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
  /** A new array with the items in random order. */
  shuffle<T>(items: readonly T[]): T[];
  /** An independent source, named: drawing from one never shifts another. */
  fork(name: string): Random;
}

/** xoshiro128** (Blackman and Vigna, 2018), its state drawn from SHA-256 of the seed. */
export function createRandom(seed: string | number): Random {
  const digest = sha256Hex(`random:${seed}`);
  const state = Uint32Array.from({ length: 4 }, (_, i) =>
    Number.parseInt(digest.slice(i * 8, i * 8 + 8), 16),
  );
  if (state.every((word) => word === 0)) state[0] = 1;
  const rotate = (x: number, k: number) => (x << k) | (x >>> (32 - k));

  const next = () => {
    const result = Math.imul(rotate(Math.imul(state[1], 5), 7), 9) >>> 0;
    const t = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate(state[3], 11);
    return result / 2 ** 32;
  };
  const integer = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    integer,
    shuffle(items) {
      const copy = [...items];
      for (let i = copy.length - 1; i > 0; i--) {
        const j = integer(i + 1);
        [copy[i], copy[j]] = [copy[j], copy[i]];
      }
      return copy;
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  };
}

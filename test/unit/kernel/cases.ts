import { createRandom, type Random } from '../../../src/base/random.ts';
import type { RowLabels, TopDocuments, TopK, VectorKernel } from '../../../src/kernel/types.ts';

/** What vectors of a case look like; every kind has broken some kernel somewhere. */
export const kinds = [
  'random',
  'normalised',
  'equal',
  'zeros',
  'ties',
  'denormal',
  'tiny and huge',
  'one outlier',
  'sparse',
  'constant',
] as const;
export type Kind = (typeof kinds)[number];

export function vectorsOf(kind: Kind, count: number, dimensions: number, random: Random): Float32Array {
  const vectors = new Float32Array(count * dimensions);
  const uniform = () => random.next() * 2 - 1;
  for (let row = 0; row < count; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    for (let i = 0; i < dimensions; i++) vector[i] = valueOf(kind, row, i, uniform);
    if (kind === 'normalised' || kind === 'one outlier') {
      const norm = Math.hypot(...vector) || 1;
      for (let i = 0; i < dimensions; i++) vector[i] /= norm;
    }
    if (kind === 'one outlier' && row === count >> 1) for (let i = 0; i < dimensions; i++) vector[i] *= 1e6;
  }
  return vectors;
}

function valueOf(kind: Kind, row: number, i: number, uniform: () => number): number {
  switch (kind) {
    case 'equal':
      return Math.sin(i);
    case 'zeros':
      return 0;
    case 'ties':
      return Math.sign(uniform());
    case 'denormal':
      return uniform() * 1e-40;
    case 'tiny and huge':
      return uniform() * 10 ** (((row * 7 + i) % 44) - 27);
    case 'sparse':
      return (i + row) % 17 === 0 ? uniform() : 0;
    case 'constant':
      return 0.25 + (row % 5) * 2 ** -20;
    case 'random':
    case 'normalised':
    case 'one outlier':
      return uniform();
  }
}

export interface Case {
  readonly seed: number;
  readonly dimensions: number;
  readonly rows: number;
  readonly queries: number;
  readonly k: number;
  readonly kind: Kind;
  readonly queryKind: Kind;
  readonly removed: number;
  readonly filtered: boolean;
}

export type Answers = Readonly<Record<string, Readonly<Record<string, Float32Array | Uint32Array>>>>;

/** Every answer of a kernel to one case: two kernels agree when these are equal, bit for bit. */
export function answers(kernel: VectorKernel, test: Case): Answers {
  const random = createRandom(test.seed);
  const { dimensions, rows } = test;
  const half = rows >> 1;
  for (const count of [half, rows - half]) {
    kernel.add(vectorsOf(test.kind, count, dimensions, random), labelsOf(count, rows, random));
  }
  const gone = Array.from({ length: Math.floor(rows * test.removed) }, () => random.integer(rows));
  kernel.remove(gone);
  const removed = new Set(gone);
  const left = Array.from({ length: rows }, (_, row) => row).filter((row) => !removed.has(row));
  const queries = vectorsOf(test.queryKind, test.queries, dimensions, random);
  const words = Math.max(0, Math.ceil(rows / 32) - random.integer(2));
  const admissible = test.filtered
    ? Uint32Array.from({ length: words }, () => random.integer(2 ** 32) & random.integer(2 ** 32))
    : undefined;
  const listed = Uint32Array.from({ length: random.integer(40) }, () => random.integer(rows));
  const own = Uint32Array.from({ length: test.queries }, () => left[random.integer(left.length)]);
  return {
    live: { count: Uint32Array.of(kernel.live) },
    top: arraysOf(kernel.topK(queries, test.k, admissible)),
    blended: arraysOf(kernel.topDocuments(queries, test.k, 0.5, admissible)),
    largest: arraysOf(kernel.topDocuments(queries, test.k, 1, admissible)),
    pairs: { scores: kernel.pairs(queries, listed) },
    maximum: { scores: kernel.maximum(queries, listed) },
    ranks: left.length === 0 ? {} : { counts: kernel.rankCounts(queries, own, admissible) },
  };
}

function arraysOf(found: TopK | TopDocuments): Record<string, Float32Array | Uint32Array> {
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value !== 'number'));
}

/** Where two kernels' answers differ first, or undefined: much faster than a deep comparison of large arrays. */
export function firstDifference(actual: Answers, expected: Answers): string | undefined {
  for (const [answer, arrays] of Object.entries(expected)) {
    for (const [name, values] of Object.entries(arrays)) {
      const others = actual[answer][name];
      const at = values.findIndex((value: number, i: number) => !Object.is(value, others[i]));
      if (at >= 0 || others.length !== values.length) {
        return `${answer}.${name}[${at}]: ${others[at]} instead of ${values[at]}`;
      }
    }
  }
  return undefined;
}

export function labelsOf(count: number, rows: number, random: Random): RowLabels {
  return {
    documents: Uint32Array.from({ length: count }, () => random.integer(Math.max(1, rows >> 1))),
    originals: Uint8Array.from({ length: count }, () => (random.next() < 0.4 ? 1 : 0)),
  };
}

import { SelfIndexError } from '../base/errors.ts';
import type { RowLabels } from './types.ts';

/** Longest vector whose scores cannot overflow float32, squared. */
export const largestSquaredNorm = 1e38;

/** Most hits that one call may ask for, over all its queries: 2 GiB of results. */
const mostHits = 2 ** 28;

const refuse = (message: string, details: Record<string, number> = {}) =>
  new SelfIndexError('invalid-argument', message, { details });

export function checkDimensions(dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 8192) {
    throw refuse(`Vectors need between 1 and 8192 dimensions, not ${dimensions}.`);
  }
}

/** Whole vectors in a row-major array. */
export function countVectors(values: Float32Array, dimensions: number, what: string): number {
  if (values.length % dimensions !== 0) {
    throw refuse(
      `${what} hold ${values.length} numbers, which is no multiple of ${dimensions} dimensions. Pass whole vectors.`,
    );
  }
  return values.length / dimensions;
}

/** Counts whole vectors and refuses the first whose scores would not be numbers. */
export function checkVectors(values: Float32Array, dimensions: number, what: string): number {
  const count = countVectors(values, dimensions, what);
  for (let vector = 0; vector < count; vector++) {
    let squared = 0;
    const end = (vector + 1) * dimensions;
    for (let i = vector * dimensions; i < end; i++) squared += values[i] * values[i];
    // Written so that NaN fails too.
    if (!(squared <= largestSquaredNorm)) throw unusableVector(vector, what);
  }
  return count;
}

export function unusableVector(vector: number, what: string): SelfIndexError {
  return refuse(
    `${what}: vector ${vector} contains NaN or an infinity, or is longer than 1e19. Leave it out or normalise it.`,
    { vector },
  );
}

export function checkLabels(labels: RowLabels, count: number): void {
  if (labels.documents.length !== count || labels.originals.length !== count) {
    throw refuse(
      `Labels are for ${labels.documents.length} rows (originals: ${labels.originals.length}), but ${count} are added.`,
    );
  }
  for (const document of labels.documents) {
    if (document >= 2 ** 28) throw refuse(`Document number ${document} is not below 2^28.`, { document });
  }
}

export function checkRows(rows: readonly number[] | Uint32Array, length: number): void {
  for (const row of rows) {
    if (!Number.isInteger(row) || row < 0 || row >= length) {
      throw refuse(`There is no row ${row}: ${length} rows were added.`, { row, length });
    }
  }
}

export function checkK(k: number, queries: number): void {
  if (!Number.isInteger(k) || k < 1 || k * queries > mostHits) {
    throw refuse(
      `k must be a whole number from 1, and k times the number of queries at most ${mostHits}; got ${k} for ${queries} queries.`,
    );
  }
}

export function checkBlend(blend: number): void {
  if (!(blend >= 0 && blend <= 1)) throw refuse(`blend must lie between 0 and 1, not ${blend}.`);
}

export function checkOwn(
  own: Uint32Array,
  queries: number,
  length: number,
  removed: (row: number) => boolean,
): void {
  if (own.length !== queries) {
    throw refuse(`Rank counts need one own row for each query: ${queries} queries, ${own.length} rows.`);
  }
  checkRows(own, length);
  for (const row of own) if (removed(row)) throw refuse(`Row ${row} was removed.`, { row });
}

/** Parameters of BM25 (Robertson and Zaragoza, 2009). */
export interface Bm25Parameters {
  /** Saturation of the term frequency. Default .9. */
  readonly k1: number;
  /** Length normalisation, 0 to 1. Default .4. */
  readonly b: number;
}

export const defaultBm25: Bm25Parameters = { k1: 0.9, b: 0.4 };

/** ln(1 + (N − df + ½)/(df + ½)): always positive. */
export function idf(documents: number, documentFrequency: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** k1 (1 − b + b · length/average): what a term frequency is weighed against in a key of that length. */
export function lengthNorm({ k1, b }: Bm25Parameters, length: number, average: number): number {
  return k1 * (1 - b + (b * length) / average);
}

/** tf (k1 + 1)/(tf + norm), in the 32 bits in which postings hold it. */
export function impact(k1: number, frequency: number, norm: number): number {
  return Math.fround((frequency * (k1 + 1)) / (frequency + norm));
}

/**
 * Adding and subtracting it rounds a number below 2^15 to a multiple of 2^-36. Sums of such multiples are exact up to
 * 2^17 in doubles, so a score does not depend on the order in which its parts are added: term by term or key by key,
 * pruned or not, before or after documents came and went, the bits are the same, and so are ties.
 */
export const grid = 1.5 * 2 ** 16;

/** One term's part in a score, on the grid. */
export function part(weight: number, keyImpact: number): number {
  return weight * keyImpact + grid - grid;
}

import type { Pacer } from '../../base/pacer.ts';
import type { Bm25Index } from './bm25-index.ts';
import type { Surroundings } from './neighbourhood.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * What one computation of expansion keys leaves to the next: every document's surroundings, and the statistics under
 * which they were scored. Documents have the numbers of their index, which need not exist any more.
 */
export interface ExpansionMemory {
  readonly numbers: ReadonlyMap<string, number>;
  /** Per document two numbers that name its terms and their frequencies: equal ones mean equal texts to the index. */
  readonly signatures: Uint32Array;
  /** Per document the numbers of its nearest documents, `count` at most, from `document * count` on. */
  readonly nearest: Uint32Array;
  readonly counts: Uint8Array;
  readonly count: number;
  /** Per document a bound of the scores of all others; 0 where none of them scores at all. */
  readonly bounds: Float64Array;
  readonly vocabulary: Vocabulary;
  /** Per term its idf. */
  readonly idf: Float64Array;
  readonly averageLength: number;
}

/** Gathers a memory, document by document. */
export class Recorder {
  private readonly numbers = new Map<string, number>();
  private readonly nearest: Uint32Array;
  private readonly counts: Uint8Array;
  private readonly bounds: Float64Array;

  constructor(
    private readonly index: Bm25Index,
    private readonly idf: Float64Array,
    private readonly signatures: Uint32Array,
    private readonly count: number,
  ) {
    const { size } = index.original;
    this.nearest = new Uint32Array(size * count);
    this.counts = new Uint8Array(size);
    this.bounds = new Float64Array(size);
  }

  record(document: number, { nearest, bound }: Surroundings): void {
    this.numbers.set(this.index.documentId(document), document);
    this.counts[document] = nearest.length;
    for (let i = 0; i < nearest.length; i++) this.nearest[document * this.count + i] = nearest[i].document;
    this.bounds[document] = bound;
  }

  finish(): ExpansionMemory {
    const { numbers, signatures, nearest, counts, count, bounds, idf } = this;
    const { vocabulary, averageLength } = this.index;
    return { numbers, signatures, nearest, counts, count, bounds, vocabulary, idf, averageLength };
  }
}

/** Two 32-bit numbers per document, from its terms and their frequencies in any order. */
export async function signaturesOf(index: Bm25Index, pacer: Pacer): Promise<Uint32Array> {
  const { rows, size } = index.original;
  const hashes: number[][] = [[], []];
  for (const name of index.vocabulary.terms()) {
    hashes[0].push(hash(name, 0x811c9dc5));
    hashes[1].push(hash(name, 0x9e3779b9));
    await pacer.pause();
  }
  const signatures = new Uint32Array(size * 2);
  for (let document = 0; document < size; document++) {
    for (let at = rows.start(document); at < rows.end(document); at++) {
      const term = rows.terms[at];
      // Frequencies are multiples of small fractions: this keeps them apart.
      const frequency = Math.round(rows.frequencies[at] * 1024);
      signatures[document * 2] += mixed(hashes[0][term] ^ Math.imul(frequency, 0x85ebca6b));
      signatures[document * 2 + 1] += mixed(hashes[1][term] ^ Math.imul(frequency, 0xc2b2ae35));
    }
    await pacer.pause();
  }
  return signatures;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}

/** The finaliser of MurmurHash3. */
function mixed(value: number): number {
  let h = value ^ (value >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

import type { Pacer } from '../../base/pacer.ts';
import type { Bm25Index } from './bm25-index.ts';
import type { ExpansionMemory } from './expansion-memory.ts';
import type { Neighbour, Neighbourhood, Surroundings } from './neighbourhood.ts';

/** Above this share of new documents, searching for everybody's neighbours is quicker. */
const mostlyNew = 0.5;

/** Impacts have 32 bits, parts are rounded to the grid (formula.ts): what that can add to a bound. */
const relativeSlack = 1 + 2 ** -21;
const slackPerTerm = 2 ** -32;

/**
 * Surroundings that follow from a memory under the statistics of now: remembered and new documents are scored anew, all
 * others have a bound. A document that scored `bound` at most then scores no more now than that times the largest growth
 * of an idf in the text that is the query, times the growth of the average length (an impact f(k1+1)/(f+norm) grows no
 * more than its norm shrinks).
 */
export class Recollection {
  private constructor(
    private readonly memory: ExpansionMemory,
    private readonly neighbourhood: Neighbourhood,
    /** Per remembered document that is unchanged its number now, and the other way round. */
    private readonly present: ReadonlyMap<number, number>,
    private readonly past: ReadonlyMap<number, number>,
    private readonly bounds: Float64Array,
    /** New documents that may be near an unchanged one. */
    private readonly newcomers: ReadonlyMap<number, readonly Neighbour[]>,
  ) {}

  /** Null where too much is new for it to pay. */
  static async make(
    index: Bm25Index,
    idf: Float64Array,
    signatures: Uint32Array,
    neighbourhood: Neighbourhood,
    memory: ExpansionMemory,
    pacer: Pacer,
  ): Promise<Recollection | null> {
    const { size, alive, rows } = index.original;
    const isUnchanged = (document: number, old: number) =>
      signatures[document * 2] === memory.signatures[old * 2] &&
      signatures[document * 2 + 1] === memory.signatures[old * 2 + 1];
    const present = new Map<number, number>();
    const past = new Map<number, number>();
    const fresh: number[] = [];
    for (let document = 0; document < size; document++) {
      if (!alive[document]) continue;
      const old = memory.numbers.get(index.documentId(document));
      if (old === undefined || !isUnchanged(document, old)) fresh.push(document);
      else {
        present.set(old, document);
        past.set(document, old);
      }
    }
    if (fresh.length > mostlyNew * index.documentCount) return null;

    await pacer.pause();
    const growth = growthOfIdf(index, idf, memory);
    const longer = Math.max(1, index.averageLength / memory.averageLength);
    const bounds = new Float64Array(size);
    for (const [document, old] of past) {
      await pacer.pause();
      let most = 1;
      const end = rows.end(document);
      for (let at = rows.start(document); at < end; at++) most = Math.max(most, growth[rows.terms[at]]);
      const slack = (end - rows.start(document)) * slackPerTerm;
      const bound = memory.bounds[old];
      bounds[document] = bound === 0 ? 0 : bound * most * longer * relativeSlack + slack;
    }
    const newcomers = new Map<number, Neighbour[]>();
    for (const document of fresh) {
      await pacer.pause();
      neighbourhood.eachAdmirer(document, (admirer, score) => {
        if (!past.has(admirer) || score <= bounds[admirer]) return;
        const list = newcomers.get(admirer);
        if (list) list.push({ document, score });
        else newcomers.set(admirer, [{ document, score }]);
      });
    }
    return new Recollection(memory, neighbourhood, present, past, bounds, newcomers);
  }

  /** Null for a new document, and where the first `neighbours` may not be the nearest of all. */
  around(document: number, neighbours: number): Surroundings | null {
    const { memory, neighbourhood } = this;
    const old = this.past.get(document);
    if (old === undefined) return null;
    const known = [...(this.newcomers.get(document) ?? [])];
    for (let i = 0; i < memory.counts[old]; i++) {
      const other = this.present.get(memory.nearest[old * memory.count + i]);
      if (other !== undefined) known.push({ document: other, score: neighbourhood.score(document, other) });
    }
    const around = neighbourhood.settle(known, this.bounds[document], memory.count);
    // One at the bound may tie with an unknown one.
    const last = around.nearest[neighbours - 1];
    return around.bound === 0 || (last && last.score > around.bound) ? around : null;
  }
}

/** Per term how many times its former idf is its idf now, where it has grown; else 1. */
function growthOfIdf(index: Bm25Index, idf: Float64Array, memory: ExpansionMemory): Float64Array {
  const growth = new Float64Array(idf.length).fill(1);
  index.vocabulary.terms().forEach((name, term) => {
    const old = memory.vocabulary.find(name);
    const before = old === undefined ? 0 : memory.idf[old];
    if (before > 0) growth[term] = Math.max(1, idf[term] / before);
  });
  return growth;
}

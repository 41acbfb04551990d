import type { SelfIndex } from '../../evolve/types.ts';
import { measureQuery } from '../../lab/measures.ts';
import type { DocumentHit } from '../../retrieve/types.ts';
import type { JudgedSearch } from './judged.ts';

export interface MeasuredSearch {
  readonly query: string;
  readonly ndcg: number;
  /** Rank of the best relevant note, from 1; 0 beyond the measured depth. */
  readonly rank: number;
  /** RR@10. */
  readonly reciprocal: number;
}

export interface MeasuredVersion {
  readonly version: number;
  readonly searches: readonly MeasuredSearch[];
  /** Mean nDCG@10. */
  readonly ndcg: number;
  /** Mean RR@10. */
  readonly reciprocalRank: number;
}

/** Documents asked for per search: enough that ten notes remain when a note has several passages. */
const depth = 100;

/** A ranking of notes: a note stands where its best passage does. */
export function noteRanking(hits: readonly DocumentHit[], noteOf: (documentId: string) => string): string[] {
  return [...new Set(hits.map((hit) => noteOf(hit.documentId)))];
}

/** Measures one version by the judged searches, note by note (linear gain, as the lab does). */
export async function measureVersion(
  index: SelfIndex,
  judged: readonly JudgedSearch[],
  noteOf: (documentId: string) => string,
  version: number,
  signal?: AbortSignal,
): Promise<MeasuredVersion> {
  const queries = judged.map((search) => search.query);
  const rankings = await index.rankings(queries, { limit: depth, version, signal });
  const searches = judged.map(({ query, relevant }, i) => {
    const ranking = noteRanking(rankings[i] ?? [], noteOf);
    const measures = measureQuery(ranking, relevant);
    const rank = ranking.findIndex((note) => relevant.has(note)) + 1;
    return { query, ndcg: measures['nDCG@10'], rank, reciprocal: measures['RR@10'] };
  });
  return summed(version, searches);
}

function summed(version: number, searches: readonly MeasuredSearch[]): MeasuredVersion {
  const mean = (value: (search: MeasuredSearch) => number) =>
    searches.length === 0 ? 0 : searches.reduce((sum, search) => sum + value(search), 0) / searches.length;
  return { version, searches, ndcg: mean(({ ndcg }) => ndcg), reciprocalRank: mean((s) => s.reciprocal) };
}

/** The same without searches that taught the index: they would measure what they brought about. */
export function untaught(measured: MeasuredVersion, hasTaught: (query: string) => boolean): MeasuredVersion {
  return summed(
    measured.version,
    measured.searches.filter(({ query }) => !hasTaught(query)),
  );
}

export interface ComparedSearch {
  /** Its place among the judged searches: two may ask the same. */
  readonly number: number;
  readonly query: string;
  readonly before: MeasuredSearch;
  readonly after: MeasuredSearch;
  readonly change: number;
}

/** Every search before and after, the largest change first; `change` is that of its nDCG@10. */
export function compareVersions(before: MeasuredVersion, after: MeasuredVersion): ComparedSearch[] {
  return before.searches
    .map((search, i) => {
      const other = after.searches[i];
      return {
        number: i,
        query: search.query,
        before: search,
        after: other,
        change: other.ndcg - search.ndcg,
      };
    })
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
}

export type MeasuredVersions = ReadonlyMap<number, MeasuredVersion>;

export const nothingMeasured: MeasuredVersions = new Map();

export function withMeasured(all: MeasuredVersions, one: MeasuredVersion): MeasuredVersions {
  return new Map([...all, [one.version, one]]);
}

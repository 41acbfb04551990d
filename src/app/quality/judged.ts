import { SelfIndexError } from '../../base/errors.ts';

export interface JudgedSearch {
  readonly query: string;
  /** By note name: an integer above 0, higher is better. */
  readonly relevant: ReadonlyMap<string, number>;
}

function invalid(what: string): SelfIndexError {
  return new SelfIndexError(
    'invalid-argument',
    `This file of judged searches ${what}. It should be JSON of the form ` +
      '{"searches": [{"query": "…", "relevant": [{"note": "folder/note.md", "grade": 1}]}]}.',
  );
}

/** Reads a file of judged searches: JSON, or lines of `query<TAB>note<TAB>grade`, the grade optional. */
export function parseJudgedSearches(text: string): JudgedSearch[] {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') throw invalid('is empty');
  return /^[[{]/.test(trimmed) ? fromJson(trimmed) : fromLines(trimmed);
}

function fromJson(text: string): JudgedSearch[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw invalid('is not valid JSON');
  }
  const searches = isObject(data) ? data.searches : data;
  if (!Array.isArray(searches) || searches.length === 0) throw invalid('has no list of searches');
  return searches.map((search: unknown, i) => {
    if (!isObject(search) || typeof search.query !== 'string' || search.query.trim() === '') {
      throw invalid(`has no query in search ${i + 1}`);
    }
    const relevant = Array.isArray(search.relevant) ? search.relevant.map(judgement) : [];
    if (relevant.length === 0 || relevant.includes(undefined)) {
      throw invalid(
        `names no relevant note for “${search.query}”, or a grade that is not an integer above 0`,
      );
    }
    return { query: search.query, relevant: new Map(relevant.filter((entry) => entry !== undefined)) };
  });
}

function judgement(value: unknown): [string, number] | undefined {
  if (typeof value === 'string' && value !== '') return [value, 1];
  if (!isObject(value) || typeof value.note !== 'string' || value.note === '') return undefined;
  const grade = value.grade ?? 1;
  return typeof grade === 'number' && Number.isInteger(grade) && grade > 0 ? [value.note, grade] : undefined;
}

function fromLines(text: string): JudgedSearch[] {
  const byQuery = new Map<string, Map<string, number>>();
  text.split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return;
    const [query = '', note = '', grade = '1'] = line.split('\t').map((part) => part.trim());
    if (query === '' || note === '' || !/^[1-9]\d*$/.test(grade))
      throw invalid(`cannot be read at line ${i + 1}`);
    byQuery.set(query, (byQuery.get(query) ?? new Map<string, number>()).set(note, Number(grade)));
  });
  if (byQuery.size === 0) throw invalid('has no searches');
  return [...byQuery].map(([query, relevant]) => ({ query, relevant }));
}

/** Queries and judgements of a test collection; a query that nothing is relevant to is none. */
export function judgedFrom(
  queries: readonly { readonly id: string; readonly text: string }[],
  judgements: ReadonlyMap<string, ReadonlyMap<string, number>>,
): JudgedSearch[] {
  return queries.flatMap(({ id, text }) => {
    const grades = [...(judgements.get(id) ?? [])].filter(([, grade]) => grade > 0);
    return grades.length === 0 ? [] : [{ query: text, relevant: new Map(grades) }];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same as JSON text, for keeping. */
export function formatJudgedSearches(searches: readonly JudgedSearch[]): string {
  return JSON.stringify({
    searches: searches.map(({ query, relevant }) => ({
      query,
      relevant: [...relevant].map(([note, grade]) => ({ note, grade })),
    })),
  });
}

/** Notes that the judgements name and `notes` does not hold. */
export function unknownNotes(searches: readonly JudgedSearch[], notes: ReadonlySet<string>): string[] {
  const named = new Set(searches.flatMap((search) => [...search.relevant.keys()]));
  return [...named].filter((note) => !notes.has(note));
}

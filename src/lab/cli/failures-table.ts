import { causes } from '../failures/analyse.ts';
import type { KeyStory, ToldFall } from '../failures/stories.ts';
import type { LabReport } from '../report.ts';
import { figure, markdownTable } from './table.ts';

/** Falls of each collection that the page shows. */
const shown = 3;
const longest = { query: 80, key: 90 } as const;

/** What a group of runs made worse: counts by cause, and the worst few with the keys behind them. Empty where no file says so. */
export function failuresSection(group: readonly LabReport[]): string[] {
  const known = group.filter(({ failures }) => failures !== undefined);
  if (known.length === 0) return [];
  const worst = known.flatMap(({ collection, failures }) =>
    (failures?.worst ?? []).slice(0, shown).map((fall) => fallRow(collection, fall)),
  );
  return [
    'What lifted the document that overtook, for every search that got worse and every relevant document that left the first ten (worse / left):',
    markdownTable(
      ['collection', ...causes],
      known.map(({ collection, failures }) => [
        collection,
        ...causes.map((cause) => `${failures?.worse[cause] ?? 0} / ${failures?.left[cause] ?? 0}`),
      ]),
    ),
    ...(worst.length === 0
      ? []
      : [
          `The ${shown} searches of each that lost the most (rank of the relevant document; R: originals that are rivals, S: separation before → after, F: score of the judge):`,
          markdownTable(
            ['collection', 'search', 'nDCG@10', 'rank', 'overtaken by', 'its key', 'verdicts'],
            worst,
          ),
        ]),
  ];
}

function fallRow(collection: string, fall: ToldFall): string[] {
  const { queryId, query, ndcg, ranks, cause, overtakenBy, key } = fall;
  // Texts that a licence does not let this repository quote have been taken out of the file.
  const keyText = key?.text ? `${cell(key.text, longest.key)} ` : '';
  return [
    collection,
    cell(query || queryId, longest.query),
    ndcg.map(figure).join(' → '),
    ranks.map((rank) => (rank === 0 ? '> 20' : String(rank))).join(' → '),
    overtakenBy ? cell(overtakenBy.documentId, longest.key) : '–',
    key ? `${keyText}(${originOf(key)})` : cause,
    key?.verdict ? verdictText(key.verdict) : '–',
  ];
}

function originOf({ kind, form, born }: KeyStory): string {
  const what = kind === 'expansion' ? 'expansion' : form;
  return born === undefined ? what : `${what}, version ${born}`;
}

function verdictText({ specificity, separation, faithfulness }: NonNullable<KeyStory['verdict']>): string {
  const number = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : value.toFixed(2);
  return [
    specificity ? `R ${specificity.rivals}` : undefined,
    separation ? `S ${number(separation.before)} → ${number(separation.after)}` : undefined,
    faithfulness ? `F ${faithfulness.score}` : undefined,
  ]
    .filter(Boolean)
    .join(', ');
}

/** A text of a document, a model or a person as inert Markdown on one line. */
export function cell(text: string, limit: number): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  const cut = line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
  return cut.replace(/[\\`*_{}[\]<>#|~&!]/g, '\\$&');
}

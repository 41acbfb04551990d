import Papa from 'papaparse';
import type { ParsedRows } from './json.ts';

/**
 * CSV or TSV to rows: objects by the first line's names where that line looks like names (no blanks, no numbers, none twice),
 * else strings with the cells joined. Rows with more cells than names are bad; missing cells are blank.
 */
export function parseCsv(text: string): ParsedRows {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  const broken = new Set(errors.filter(({ type }) => type === 'Quotes').map(({ row }) => row));
  const [first, ...others] = data;
  if (first === undefined) return { rows: [], bad: 0 };
  const names = first.map((cell) => cell.trim());
  if (!looksLikeNames(names)) {
    const rows = data
      .filter((_, i) => !broken.has(i))
      .map((cells) => cells.filter((c) => c.trim() !== '').join(' | '));
    return { rows, bad: data.length - rows.length };
  }
  const rows = others
    .filter((cells, i) => cells.length <= names.length && !broken.has(i + 1))
    .map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
  return { rows, bad: others.length - rows.length };
}

function looksLikeNames(cells: readonly string[]): boolean {
  const distinct = new Set(cells.map((cell) => cell.toLowerCase()));
  return (
    distinct.size === cells.length &&
    cells.every((cell) => cell !== '' && cell.length <= 40 && Number.isNaN(Number(cell)))
  );
}

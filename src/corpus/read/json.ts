import { SelfIndexError, messageOf } from '../../base/errors.ts';
import { createPacer } from '../../base/pacer.ts';

export interface ParsedRows {
  readonly rows: readonly unknown[];
  /** Lines that could not be parsed. */
  readonly bad: number;
}

/**
 * JSON to rows: an array as it is, an object's longest array of objects or strings, or else the object as one row. Lines
 * of JSON under the wrong name are recognised.
 * @throws SelfIndexError `unreadable-file`
 */
export async function parseJson(name: string, text: string): Promise<ParsedRows> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const lines = await parseJsonLines(text);
    if (lines.rows.length > lines.bad && lines.rows.length > 1) return lines;
    throw new SelfIndexError(
      'unreadable-file',
      `“${name}” is not valid JSON (${messageOf(error)}). Correct it, or name it .jsonl if each line is a value.`,
      { details: { name }, cause: error },
    );
  }
  return { rows: rowsIn(value), bad: 0 };
}

/** A value a line; blank lines do not count. In slices: a page that reads a large file stays awake. */
export async function parseJsonLines(text: string): Promise<ParsedRows> {
  const rows: unknown[] = [];
  let bad = 0;
  const pacer = createPacer();
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    try {
      rows.push(JSON.parse(line));
    } catch {
      bad++;
    }
    await pacer.pause();
  }
  return { rows, bad };
}

function rowsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null || typeof value !== 'object') return [value];
  const arrays = Object.values(value).filter(
    (item): item is unknown[] =>
      Array.isArray(item) && item.some((entry) => typeof entry === 'object' && entry !== null),
  );
  const longest = arrays.sort((a, b) => b.length - a.length).at(0);
  return longest ?? [value];
}

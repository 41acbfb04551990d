import { sha256Hex } from '../base/hash.ts';

/** Leaves room for a counter below the 512 units of a document's id. */
const longest = 480;

/**
 * Ids of the passages of one note: `name`, `name#slug-of-heading`, `name#slug-2` where a heading comes again,
 * `name#slug~2` for the second part of a long section. The same text gives the same ids.
 */
export class PassageIds {
  readonly #name: string;
  readonly #used = new Map<string, number>();

  constructor(name: string) {
    this.#name = shorten(printable(name) || 'untitled');
  }

  /** `fragment`: a heading's slug or its address in the page; empty for the note itself. */
  section(fragment: string): string {
    const base = shorten(
      fragment === '' ? this.#name : `${this.#name}#${printable(fragment).replaceAll('~', '-')}`,
    );
    const count = (this.#used.get(base) ?? 0) + 1;
    this.#used.set(base, count);
    if (count === 1) return base;
    // `a-2` may itself be a heading: its own counter decides.
    return this.section(fragment === '' ? `${count}` : `${fragment}-${count}`);
  }

  part(id: string, index: number): string {
    return index === 0 ? id : `${id}~${index + 1}`;
  }
}

/** Letters and digits of a heading in lower case, joined by hyphens, as in the addresses of web pages. */
export function slugOf(heading: string): string {
  return heading
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^-|-$/g, '');
}

function printable(name: string): string {
  return name.toWellFormed().replace(/\p{Cc}+/gu, ' ');
}

/** Long names keep their beginning and a hash of the whole. */
function shorten(id: string): string {
  if (id.length <= longest) return id;
  return `${id.slice(0, longest - 17).toWellFormed()}~${sha256Hex(id).slice(0, 16)}`;
}

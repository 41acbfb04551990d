import { parse } from 'yaml';
import { messageOf } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json.ts';
import { toJsonObject } from './to-json.ts';

export interface FrontMatter {
  readonly metadata: Readonly<Record<string, JsonValue>>;
  /** Where the text begins. */
  readonly end: number;
  /** Why a block that looks like front matter was left in the text. */
  readonly problem?: string;
}

const block = /^---[ \t]*\n([\s\S]*?)\n?^(?:---|\.\.\.)[ \t]*(?:\n|$)/m;
/** More references to anchors than this are a bomb, not a note. */
const mostAliases = 20;
const longest = 100_000;

/** YAML between `---` lines at the very beginning of a note. What is no YAML map stays a part of the text. */
export function readFrontMatter(text: string): FrontMatter {
  const none = { metadata: {}, end: 0 };
  if (!text.startsWith('---')) return none;
  const match = block.exec(text.slice(0, longest));
  if (match?.index !== 0) return none;
  try {
    const value: unknown = parse(match[1], {
      schema: 'core',
      maxAliasCount: mostAliases,
      logLevel: 'error',
    });
    if (value === null) return { metadata: {}, end: match[0].length };
    const metadata = toJsonObject(value);
    // A paragraph between two rules is a text and nothing is wrong with it.
    return metadata === null ? none : { metadata, end: match[0].length };
  } catch (error) {
    return { ...none, problem: messageOf(error).split('\n')[0] };
  }
}

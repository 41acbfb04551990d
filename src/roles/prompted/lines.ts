import { frequencyOf } from '../../corpus/word-frequency.ts';
import { normaliseKeyText } from '../../keys/normalise.ts';
import { isUnspaced, words } from '../extractive/text.ts';
import { asLine } from './data.ts';

export interface LineOptions {
  /** What the model was given to read: a line in another script than it has is no key of it. */
  readonly source: string;
  /** The prompt's words: a line made of nothing else says nothing of the document. */
  readonly instructions: string;
  /** Lines of the prompt's example: neither does a line that goes on about that. */
  readonly echoes: readonly string[];
  readonly limit: number;
  /** True where the answer stopped at its token bound: its last line may be half a line. */
  readonly truncated: boolean;
}

/** What the parser made of an answer. */
export interface ParsedLines {
  readonly lines: readonly string[];
  /** Lines that could not be used. */
  readonly dropped: number;
}

const bounds = { leastWords: 3, mostWords: 40 };

/** Bullets, numbers, labels and quotes around a line. */
const leading =
  /^(?:[\s>*•‣·–—#-]|\(?\d{1,2}[.):]\s?|(?:Q|A|question|description|search|query)\s?\d{0,2}\s?[:.]\s?)+/iu;
const quotes = /^["'“”„«»‘’`*]+|["'“”„«»‘’`*]+$/gu;
const preamble = /^(?:sure|certainly|of course|okay|here (?:are|is)|below (?:are|is)|the following)\b|:$/iu;

/**
 * Usable lines of a weak model's answer: numbering, bullets and quotes taken off; repetitions, echoes of the prompt,
 * announcements, too short and too long lines and lines in another script than the document's dropped.
 */
export function parseLines(answer: string, options: LineOptions): ParsedLines {
  const raw = answer.split(/\n+/).filter((line) => line.trim() !== '');
  if (options.truncated && raw.length > 1 && !/[.?!。？！؟…]["'”»]?\s*$/u.test(raw[raw.length - 1]))
    raw.pop();
  const echoes = options.echoes.map((line) => new Set(words(line.toLowerCase())));
  const told = tellingWords(options.echoes, options.source);
  const instructions = new Set(words(options.instructions.toLowerCase()));
  const scripts = scriptsOf(options.source);
  const seen = new Set<string>();
  const lines: string[] = [];
  for (const line of raw) {
    const text = asLine(line).replace(leading, '').replace(quotes, '').trim();
    const form = normaliseKeyText(text);
    if (lines.length >= options.limit || seen.has(form) || !isUsable(text, scripts, echoes, told)) continue;
    if (words(text.toLowerCase()).every((word) => instructions.has(word))) continue;
    seen.add(form);
    lines.push(text);
  }
  return { lines, dropped: answer.split(/\n+/).filter((line) => line.trim() !== '').length - lines.length };
}

function isUsable(
  text: string,
  scripts: ReadonlySet<string>,
  echoes: readonly ReadonlySet<string>[],
  told: ReadonlySet<string>,
): boolean {
  const said = words(text.toLowerCase());
  if (said.some((word) => told.has(word))) return false;
  if (preamble.test(text)) return false;
  if (said.length > bounds.mostWords) return false;
  if (isUnspaced(text) ? text.length < 4 : said.length < bounds.leastWords) return false;
  if (isStutter(said)) return false;
  for (const script of scriptsOf(text)) if (!scripts.has(script)) return false;
  return echoes.every((echo) => overlap(new Set(said), echo) < 0.8);
}

/** A word this frequent in English (of 51 million) may come from anywhere; a rarer one of the example comes from there. */
const mostOfTelling = 4000;

/** Words of the prompt and its example that betray a line which goes on about them: rare ones that the source lacks. */
function tellingWords(echoes: readonly string[], source: string): Set<string> {
  const own = new Set(words(source.toLowerCase()));
  const all = echoes.flatMap((line) => words(line.toLowerCase()));
  return new Set(
    all.filter((word) => word.length > 3 && !own.has(word) && frequencyOf(word) < mostOfTelling),
  );
}

/** A small model that loops says the same few words over and over. */
function isStutter(said: readonly string[]): boolean {
  return said.length >= 8 && new Set(said).size < said.length / 2;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / Math.max(1, a.size + b.size - shared);
}

const scriptShapes: readonly (readonly [string, RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Han', /\p{Script=Han}/u],
  ['Kana', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Hangul', /\p{Script=Hangul}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Thai', /\p{Script=Thai}/u],
];

function scriptsOf(text: string): Set<string> {
  return new Set(scriptShapes.filter(([, shape]) => shape.test(text)).map(([name]) => name));
}

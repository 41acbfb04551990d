import { Validator } from '@cfworker/json-schema';
import { messageOf } from '../base/errors.ts';
import type { JsonSchema } from '../base/json.ts';

/** What a model's text says under a schema: a value that fits, or why there is none. */
export type ParsedAnswer<T> = { readonly value: T } | { readonly value: undefined; readonly problem: string };

/** Texts of models are bounded by maxTokens; a longer one is garbage, and scanning it would only cost time. */
const longest = 1_000_000;
/** Places at which JSON may begin in a chatty answer; each costs one scan. */
const mostStarts = 64;

/**
 * The JSON value in a model's answer: the whole text, a fenced block, or the first balanced object or array in it that
 * fits the schema. Without a schema the text itself. Garbage gives a problem in words, never an exception.
 */
export function parseAnswer<T>(text: string, schema?: JsonSchema): ParsedAnswer<T> {
  if (!schema) return { value: text as T };
  if (text.length > longest)
    return { value: undefined, problem: `The answer has ${text.length} characters.` };
  const validator = validatorOf(schema);
  let problem: string | undefined;
  for (const candidate of candidates(withoutThinking(text))) {
    let value: unknown;
    try {
      value = JSON.parse(candidate);
    } catch {
      continue;
    }
    const misfit = misfitOf(validator, value);
    if (misfit === undefined) return { value: value as T };
    problem ??= misfit;
  }
  return { value: undefined, problem: problem ?? `No JSON in the answer: ${excerpt(text)}` };
}

const validators = new WeakMap<JsonSchema, Validator>();

function validatorOf(schema: JsonSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    validator = new Validator(schema, '2020-12');
    validators.set(schema, validator);
  }
  return validator;
}

function misfitOf(validator: Validator, value: unknown): string | undefined {
  try {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    // The last error is the innermost: it names the place.
    const error = errors.at(-1);
    return error ? `${error.instanceLocation}: ${error.error}` : 'The answer does not fit its schema.';
  } catch (error) {
    return `The answer could not be checked: ${messageOf(error)}`;
  }
}

/** Models that reason aloud put it before the answer. */
function withoutThinking(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end + '</think>'.length);
}

function* candidates(text: string): Generator<string> {
  yield text.trim();
  for (const [, block] of text.matchAll(/```[a-z]*\s*\n?([\s\S]*?)```/gi)) yield block.trim();
  let starts = 0;
  for (let start = nextStart(text, 0); start >= 0 && starts < mostStarts; starts++) {
    const end = balancedEnd(text, start);
    if (end > 0) yield text.slice(start, end);
    start = nextStart(text, start + 1);
  }
}

function nextStart(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/);
  return offset < 0 ? -1 : from + offset;
}

/** The end of the object or array that begins at `start`, brackets in strings left aside; 0 where it never closes. */
function balancedEnd(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const unit = text[i];
    if (inString) {
      if (unit === '\\') i++;
      else if (unit === '"') inString = false;
    } else if (unit === '"') inString = true;
    else if (unit === '{' || unit === '[') depth++;
    else if ((unit === '}' || unit === ']') && --depth === 0) return i + 1;
  }
  return 0;
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

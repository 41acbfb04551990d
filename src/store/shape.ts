/**
 * What is wrong with a value: null when nothing is, else where and what, such as `.keys[3].text must be a string`.
 * Paths are put together only when something is wrong, so that a hundred thousand good records cost little.
 */
export type Check = (value: unknown) => string | null;

const deepest = 64;

export const string: Check = (value) => (typeof value === 'string' ? null : ' must be a string');

export const nonEmptyString: Check = (value) =>
  typeof value === 'string' && value !== '' ? null : ' must be a string that is not empty';

export const boolean: Check = (value) => (typeof value === 'boolean' ? null : ' must be true or false');

export const finite: Check = (value) => (Number.isFinite(value) ? null : ' must be a finite number');

export const count: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? null : ' must be a whole number from 0';

export function oneOf(...values: readonly unknown[]): Check {
  return (value) => (values.includes(value) ? null : ` must be one of ${JSON.stringify(values)}`);
}

export function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

export function nullable(check: Check): Check {
  return (value) => (value === null ? null : check(value));
}

export function list(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return ' must be an array';
    for (let i = 0; i < value.length; i++) {
      const problem = check(value[i]);
      if (problem !== null) return `[${i}]${problem}`;
    }
    return null;
  };
}

/** An object that maps any names to values of one kind. */
export function map(check: Check): Check {
  return (value) => {
    if (!isPlainObject(value)) return ' must be an object';
    for (const key of Object.keys(value)) {
      const problem = key === '__proto__' ? ' is not allowed' : check(value[key]);
      if (problem !== null) return `.${key}${problem}`;
    }
    return null;
  };
}

/**
 * An object of type T. Every field of T has to be named, so a field that is added to a type cannot be forgotten here. Fields
 * that T does not know are let through if they are plain JSON: a file of a later release stays readable.
 */
export function fields<T>(checks: { readonly [K in keyof Required<T>]: Check }): Check {
  const table = new Map(Object.entries<Check>(checks));
  return (value) => {
    if (!isPlainObject(value)) return ' must be an object';
    for (const [key, check] of table) {
      const problem = check(value[key]);
      if (problem !== null) return `.${key}${problem}`;
    }
    for (const key of Object.keys(value)) {
      const problem = table.has(key) ? null : key === '__proto__' ? ' is not allowed' : json(value[key]);
      if (problem !== null) return `.${key}${problem}`;
    }
    return null;
  };
}

/** What JSON can say, and nothing named `__proto__`. A property that is undefined counts as absent. */
export const json: Check = (value) => (value === undefined ? null : jsonValue(value, 0));

/** The same, where something has to be there. */
export const presentJson: Check = (value) => jsonValue(value, 0);

function jsonValue(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return finite(value);
  if (depth >= deepest) return ` nests deeper than ${deepest} levels`;
  if (Array.isArray(value)) return list((item) => jsonValue(item, depth + 1))(value);
  if (isPlainObject(value)) {
    return map((item) => (item === undefined ? null : jsonValue(item, depth + 1)))(value);
  }
  return ' must be plain JSON data';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

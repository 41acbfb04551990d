import { parseArgs } from 'node:util';
import { SelfIndexError, messageOf } from '../../base/errors.ts';

export type Flags = Readonly<Record<string, string | boolean | undefined>>;

/** @throws `invalid-argument` for flags that are not in `options`. */
export function parseFlags(
  args: readonly string[],
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>,
  allowPositionals = false,
): { values: Flags; positionals: string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals, strict: true });
    return { values, positionals };
  } catch (error) {
    throw refusal(`${messageOf(error).split('. ')[0]}. See --help for the flags of each command.`);
  }
}

/** Reads values of flags; every method refuses what does not fit with a sentence. */
export class FlagReader {
  constructor(private readonly flags: Flags) {}

  flag(name: string): boolean {
    return this.flags[name] === true;
  }

  string(name: string): string | undefined {
    const value = this.flags[name];
    if (value === '') throw refusal(`--${name} needs a value.`);
    return typeof value === 'string' ? value : undefined;
  }

  required(name: string): string {
    const value = this.string(name);
    if (value === undefined) throw refusal(`--${name} is missing. See --help.`);
    return value;
  }

  choice<const T extends string>(name: string, options: readonly T[]): T | undefined {
    const value = this.string(name);
    const option = options.find((one) => one === value);
    if (value !== undefined && option === undefined)
      throw refusal(`--${name} is one of ${options.join(', ')}, not ${JSON.stringify(value)}.`);
    return option;
  }

  integer(name: string): number | undefined {
    return this.number(name, 'a whole number', Number.isSafeInteger);
  }

  count(name: string): number | undefined {
    return this.number(name, 'a whole number of at least 1', (n) => Number.isSafeInteger(n) && n >= 1);
  }

  positive(name: string): number | undefined {
    return this.number(name, 'a number above 0', (n) => Number.isFinite(n) && n > 0);
  }

  private number(name: string, what: string, fits: (n: number) => boolean): number | undefined {
    const value = this.string(name);
    if (value === undefined) return undefined;
    if (value.trim() === '' || !fits(Number(value)))
      throw refusal(`--${name} is ${what}, not ${JSON.stringify(value)}.`);
    return Number(value);
  }
}

/** A command line that is not understood. */
export function refusal(message: string): SelfIndexError {
  return new SelfIndexError('invalid-argument', message);
}

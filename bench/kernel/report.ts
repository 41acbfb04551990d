import type { KernelChoice } from './browser.ts';
import type { PeerReport } from './page/against.ts';
import type { LexicalReport } from './page/lexical.ts';
import type { CompactReport } from './page/million.ts';
import type { Section } from './page/sections.ts';

/** Where and when something was measured. */
export interface Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly chromium: string;
  readonly choice: KernelChoice;
}

/** All that was measured; a part that was not is absent. */
export interface Report {
  /** Compressed bytes of each build. */
  readonly bytes: Readonly<Record<'base' | 'relaxed', number>>;
  readonly search: readonly Section[];
  readonly operations: readonly Section[];
  readonly large: readonly Section[];
  readonly threads: Section;
  readonly compact: readonly CompactReport[];
  readonly peers: readonly PeerReport[];
  /** Peers that were not measured, and why. */
  readonly absent: Readonly<Record<string, string>>;
  readonly lexical: readonly LexicalReport[];
}

/** Median of a contender in milliseconds; undefined where it did not run. */
export function median(section: Section | undefined, name: string): number | undefined {
  return section?.timings.find((timing) => timing.name === name)?.median;
}

/** How many times as long the one takes as the other, within one section. */
export function ratio(section: Section | undefined, slower: string, faster: string): number | undefined {
  const [a, b] = [median(section, slower), median(section, faster)];
  return a === undefined || b === undefined ? undefined : a / b;
}

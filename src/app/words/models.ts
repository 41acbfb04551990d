import type { KeptFile, ModelKind } from '../../models/types.ts';
import { bytes, duration } from './format.ts';

const kinds: Readonly<Record<ModelKind, string>> = {
  embedder: 'compares meanings',
  static: 'compares meanings, by a table',
  generator: 'writes keys',
  gguf: 'writes keys (GGUF)',
  webllm: 'writes keys on the GPU',
};

export function kindInWords(kind: ModelKind): string {
  return kinds[kind];
}

/** An estimate, to two digits: "220 MB", "1.3 GB". */
export function roughly(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded < 1e9 ? `${Math.round(rounded / 1e6)} MB` : `${(rounded / 1e9).toFixed(1)} GB`;
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** "English", "English and German", "many languages". */
export function languagesInWords(tags: readonly string[]): string {
  if (tags.includes('mul') || tags.length > 4) return 'many languages';
  return new Intl.ListFormat('en').format(tags.map((tag) => languageNames.of(tag) ?? tag));
}

/** Against what a kept model's bytes were held. */
export function verifiedInWords(files: readonly KeptFile[]): string {
  if (files.every(({ verified }) => verified === 'known')) return 'every byte as in the catalogue';
  if (files.every(({ verified }) => verified !== 'no')) return 'every byte as its server declares';
  return 'unverified: nobody vouches for its bytes';
}

export interface Going {
  readonly done: number;
  readonly total?: number;
  readonly bytesPerSecond?: number;
  readonly secondsLeft?: number;
}

/** "12.0 MB of 23.3 MB, 1.2 MB a second, 9 seconds left". */
export function goingInWords({ done, total, bytesPerSecond, secondsLeft }: Going): string {
  return [
    total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`,
    bytesPerSecond === undefined ? undefined : `${bytes(Math.round(bytesPerSecond))} a second`,
    secondsLeft === undefined ? undefined : `${duration(secondsLeft)} left`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

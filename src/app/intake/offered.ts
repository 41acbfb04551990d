import { SelfIndexError } from '../../base/errors.ts';
import type { Gathered, GivenFile } from './gather.ts';

/** A test collection that lies where this page comes from. */
export interface Offered {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly files: readonly string[];
}

const folder = 'collections/';

/** What the page's host offers: nothing, on most. Asked by the welcome page alone; a failure is no offer. */
export async function listOffered(): Promise<readonly Offered[]> {
  if (!navigator.onLine) return [];
  try {
    const response = await fetch(`${folder}index.json`);
    const list = response.ok ? ((await response.json()) as unknown) : [];
    return Array.isArray(list) ? list.filter(isOffered) : [];
  } catch {
    return [];
  }
}

/** The files of one, as if they had been dropped. */
export async function fetchOffered({ name, files }: Offered, signal?: AbortSignal): Promise<Gathered> {
  const given = files.map(async (file): Promise<GivenFile> => {
    const path = `${name}/${file}`;
    const response = await fetch(`${folder}${path.split('/').map(encodeURIComponent).join('/')}`, { signal });
    if (response.ok) return { path, file: new File([await response.blob()], file) };
    throw new SelfIndexError(
      'unreadable-file',
      `“${path}” is missing where this page is served (${response.status}).`,
    );
  });
  return { files: await Promise.all(given), skipped: [] };
}

function isOffered(value: unknown): value is Offered {
  if (typeof value !== 'object' || value === null) return false;
  const { name, title, about, files } = value as Partial<Record<keyof Offered, unknown>>;
  const texts = [name, title, about, ...(Array.isArray(files) ? (files as unknown[]) : [null])];
  return texts.every((text) => typeof text === 'string');
}

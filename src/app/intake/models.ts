import { dtypeOf, sizeOf } from '../../models/types.ts';

/** A model that can be used at once. */
export interface InstalledModel {
  readonly id: string;
  readonly kind: 'generator' | 'embedder';
  /** Of all its files. */
  readonly bytes: number;
  /** In this browser, or with the page. */
  readonly place: 'kept' | 'served';
  /** Its weights. Default: int8. */
  readonly dtype?: 'q8' | 'fp32' | 'fp16';
}

/** A model that is served with the page, as its list says. */
export interface ServedModel {
  readonly id: string;
  readonly kind: 'generator' | 'embedder';
  readonly bytes: number;
  /** Empty where the host's list does not say. */
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256?: string }[];
}

/** Those that are kept in this browser, then those that are served with the page and not kept. */
export async function listModels(): Promise<readonly InstalledModel[]> {
  const [kept, served] = await Promise.all([keptModels(), listServed()]);
  const others = served.filter(({ id }) => !kept.some((each) => each.id === id));
  return [...kept, ...others.map(({ id, kind, bytes }) => ({ id, kind, bytes, place: 'served' }) as const)];
}

async function keptModels(): Promise<InstalledModel[]> {
  // For who chooses a model: most visits do not.
  const { listKept } = await import('../../models/browser/kept.ts');
  return (await listKept()).flatMap(({ manifest }) => {
    const { id, kind, files } = manifest;
    if (kind !== 'generator' && kind !== 'embedder') return [];
    const dtype = dtypeOf(files.map(({ path }) => path));
    return [{ id, kind, bytes: sizeOf(manifest), place: 'kept', ...(dtype && { dtype }) }];
  });
}

/** The models that lie where this page comes from: on most hosts none. A failure is none. */
export async function listServed(): Promise<readonly ServedModel[]> {
  if (!navigator.onLine) return [];
  try {
    const response = await fetch('models/index.json');
    const list = response.ok ? ((await response.json()) as unknown) : [];
    return Array.isArray(list) ? list.flatMap(readServed) : [];
  } catch {
    return [];
  }
}

function readServed(value: unknown): ServedModel[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, kind, bytes, files } = value as Partial<Record<keyof ServedModel, unknown>>;
  if (typeof id !== 'string' || (kind !== 'generator' && kind !== 'embedder') || typeof bytes !== 'number')
    return [];
  return [{ id, kind, bytes, files: Array.isArray(files) ? files.filter(isFile) : [] }];
}

function isFile(value: unknown): value is ServedModel['files'][number] {
  const { path, size, sha256 } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof path === 'string' &&
    typeof size === 'number' &&
    (sha256 === undefined || typeof sha256 === 'string')
  );
}

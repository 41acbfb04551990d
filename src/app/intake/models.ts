/** A model that is served with the page, as its list says. */
export interface InstalledModel {
  readonly id: string;
  readonly kind: 'generator' | 'embedder';
  /** Of all its files. */
  readonly bytes: number;
}

/** The models that lie where this page comes from: on most hosts none. A failure is none. */
export async function listModels(): Promise<readonly InstalledModel[]> {
  if (!navigator.onLine) return [];
  try {
    const response = await fetch('models/index.json');
    const list = response.ok ? ((await response.json()) as unknown) : [];
    return Array.isArray(list) ? list.filter(isModel) : [];
  } catch {
    return [];
  }
}

function isModel(value: unknown): value is InstalledModel {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, bytes } = value as Partial<Record<keyof InstalledModel, unknown>>;
  return typeof id === 'string' && (kind === 'generator' || kind === 'embedder') && typeof bytes === 'number';
}

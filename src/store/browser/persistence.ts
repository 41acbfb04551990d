/** Bytes, as near as the browser tells; it rounds and pads on purpose. */
export interface StorageEstimate {
  readonly used: number;
  readonly available: number;
}

/**
 * Asks the browser to keep this origin's data when it runs out of room. Call it when the person does something, for some
 * browsers ask them. False where it was refused or cannot be asked: then offer an export early.
 */
export async function persistStorage(): Promise<boolean> {
  try {
    return (await navigator.storage.persisted()) || (await navigator.storage.persist());
  } catch {
    return false;
  }
}

/** What this origin uses and what it may still use; null where the browser does not tell. */
export async function estimateStorage(): Promise<StorageEstimate | null> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    if (usage === undefined || quota === undefined) return null;
    return { used: usage, available: Math.max(0, quota - usage) };
  } catch {
    return null;
  }
}

/** How the tabs (or workers) that have one index open agree: one writer at a time, and news of what it wrote. */
export interface Tabs {
  /** @throws SelfIndexError `evolution-locked` when another tab writes, `locks-unavailable` where there are no locks */
  acquireWriter(): Promise<{ release(): void | Promise<void> }>;
  announce(version: number): void;
  /** Only what others announce. Returns the unsubscriber. */
  onVersion(listener: (version: number) => void): () => void;
}

/** For an index that nobody else can have open, such as one in memory. */
export const alone: Tabs = {
  acquireWriter: async () => ({ release: () => undefined }),
  announce: () => undefined,
  onVersion: () => () => undefined,
};

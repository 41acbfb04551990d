import { afterEach } from 'vitest';
import type { IndexStore } from '../../../src/store/types.ts';
import { fill } from './samples.ts';
import { commitsSuite } from './suite-commits.ts';
import { contentSuite } from './suite-content.ts';
import { documentsSuite } from './suite-documents.ts';

/** Where the suite's stores come from; they are destroyed after each test. */
export interface Stores {
  readonly kind: string;
  readonly open: (name: string) => Promise<IndexStore>;
  readonly fresh: (name?: string) => Promise<IndexStore>;
  /** A store that `fill` has filled. */
  readonly filled: () => Promise<IndexStore>;
}

/** What every store does; `open` gives a store, new under a new name. */
export function storeSuite(kind: string, open: (name: string) => Promise<IndexStore>): void {
  const opened: IndexStore[] = [];
  let made = 0;
  const stores: Stores = {
    kind,
    open,
    async fresh(name = `${kind} ${Date.now()} ${made++}`) {
      const store = await open(name);
      opened.push(store);
      return store;
    },
    async filled() {
      const store = await stores.fresh();
      await fill(store);
      return store;
    },
  };

  afterEach(async () => {
    for (const store of opened.splice(0)) await store.destroy();
  });

  documentsSuite(stores);
  commitsSuite(stores);
  contentSuite(stores);
}

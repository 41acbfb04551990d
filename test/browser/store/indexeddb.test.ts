import { openIndexedDbStore } from '../../../src/store/indexeddb.ts';
import { createMemoryStore } from '../../../src/store/memory.ts';
import { storeSuite } from '../../unit/store/store-suite.ts';

storeSuite('IndexedDB', (name) => openIndexedDbStore(name));
storeSuite('memory', async (name) => createMemoryStore(name));

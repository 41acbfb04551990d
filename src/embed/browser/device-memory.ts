import { openDB, type DBSchema } from 'idb';
import type { DeviceMemory, KnownDevices } from '../devices/device-memory.ts';

interface Schema extends DBSchema {
  known: { key: string; value: KnownDevices };
}

/** Device choices in a small database of their own: they belong to the machine, not to one index. */
export function keptDeviceMemory(name = 'self-index-devices'): DeviceMemory {
  const withStore = async <T>(work: (database: Awaited<ReturnType<typeof open>>) => Promise<T>) => {
    try {
      const database = await open(name);
      try {
        return await work(database);
      } finally {
        database.close();
      }
    } catch {
      // Storage may be off or full; what is not remembered is found out again.
      return undefined;
    }
  };
  return {
    get: (key) => withStore((database) => database.get('known', key)),
    async put(key, known) {
      await withStore((database) => database.put('known', known, key));
    },
  };
}

function open(name: string) {
  return openDB<Schema>(name, 1, { upgrade: (database) => void database.createObjectStore('known') });
}

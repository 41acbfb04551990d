import { mostLanes, type Crew } from '../lanes.ts';
import type { ThreadOrder } from '../thread.ts';

/** Workers that make no sense beyond the cores left when the calling thread works too. */
export function helpersHere(): number {
  const cores = navigator.hardwareConcurrency || 1;
  return Math.max(0, Math.min(mostLanes, cores - 1));
}

/** Starts workers over a shared memory; undefined where none comes up, and the caller goes on alone. */
export async function startCrew(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  control: number,
  size: number,
): Promise<Crew | undefined> {
  if (size < 1) return undefined;
  const workers: Worker[] = [];
  const dismiss = () => workers.forEach((worker) => worker.terminate());
  try {
    await Promise.all(
      Array.from({ length: size }, (_, lane) => {
        const worker = new Worker(new URL('../../../workers/kernel.worker.ts', import.meta.url), {
          type: 'module',
          name: `kernel ${lane + 1}`,
        });
        workers.push(worker);
        return isReady(worker, { module, memory, control, lane });
      }),
    );
  } catch {
    // A page may forbid workers (a content security policy, too many of them): threads are speed, not a need.
    dismiss();
    return undefined;
  }
  return { size, dismiss };
}

function isReady(worker: Worker, order: ThreadOrder): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = () => resolve();
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(order);
  });
}

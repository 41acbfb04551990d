import { controlWords, takeSegments } from './lanes.ts';
import type { KernelExports } from './machine.ts';

/** What a worker is told once. */
export interface ThreadOrder {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** Address of the control block, and which of its jobs is this worker's. */
  readonly control: number;
  readonly lane: number;
}

/** The life of a worker of the kernel: says that it is ready, then waits for work until it is terminated. */
export async function serveKernel(order: ThreadOrder, ready: () => void): Promise<never> {
  const { module, memory, control, lane } = order;
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  const exports = instance.exports as unknown as KernelExports;
  let words = new Int32Array(memory.buffer, control, 16);
  let turn = Atomics.load(words, controlWords.turn);
  ready();
  for (;;) {
    Atomics.wait(words, controlWords.turn, turn);
    const now = Atomics.load(words, controlWords.turn);
    if (now === turn) continue;
    turn = now;
    if (words.buffer !== memory.buffer) words = new Int32Array(memory.buffer, control, 16);
    takeSegments(words, exports, new Uint32Array(memory.buffer)[(control >>> 2) + controlWords.jobs + lane]);
    Atomics.sub(words, controlWords.busy, 1);
    Atomics.notify(words, controlWords.busy);
  }
}

/** A thread of the similarity kernel: it scans segments of a shared memory (src/kernel/thread.ts). */
import { serveKernel, type ThreadOrder } from '../src/kernel/thread.ts';

onmessage = (event: MessageEvent<ThreadOrder>) => {
  void serveKernel(event.data, () => postMessage('ready'));
};

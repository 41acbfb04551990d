import type { Order } from './committer.worker.ts';

/** A worker that stands for another tab (see committer.worker.ts). */
export function otherTab() {
  const worker = new Worker(new URL('./committer.worker.ts', import.meta.url), { type: 'module' });
  const heard: unknown[] = [];
  let wake = () => {};
  worker.onmessage = ({ data }: MessageEvent<unknown>) => {
    heard.push(data);
    wake();
  };

  /** The next message. */
  async function next(): Promise<unknown> {
    while (heard.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return heard.shift();
  }

  return {
    next,
    tell(does: Order['does'], name: string): Promise<unknown> {
      worker.postMessage({ does, name } satisfies Order);
      return next();
    },
    kill: () => worker.terminate(),
  };
}

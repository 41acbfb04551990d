import { SelfIndexError } from '../base/errors.ts';
import type { Tabs } from './tabs.ts';

/**
 * Who may write when. One thing writes at a time, here and (by the tabs' lock) anywhere; an evolution writes for long,
 * so meanwhile other writes are refused, except those that can wait for the pause between two iterations.
 */
export class Conductor {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting: (() => Promise<void>)[] = [];
  private busy = false;

  constructor(private readonly tabs: Tabs) {}

  get evolving(): boolean {
    return this.busy;
  }

  /** @throws SelfIndexError `evolution-locked` while this index or another tab evolves */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.refuseWhileEvolving();
    return this.enqueue(() => this.locked(work));
  }

  /** As `write`, but during an evolution it waits for the end of the running iteration. */
  async writeWhenIdle<T>(work: () => Promise<T>): Promise<T> {
    if (!this.busy) return this.write(work);
    return new Promise<T>((resolve, reject) => {
      this.waiting.push(() => work().then(resolve, reject));
    });
  }

  /** @throws SelfIndexError `evolution-locked` as `write` does */
  async evolve(work: () => Promise<void>): Promise<void> {
    this.refuseWhileEvolving();
    this.busy = true;
    const finish = this.enqueue(() =>
      this.locked(async () => {
        try {
          await work();
        } finally {
          await this.catchUp();
        }
      }),
    );
    try {
      await finish;
    } finally {
      this.busy = false;
      // Whoever began to wait after the last pause, or when the lock was refused.
      const late = this.waiting.splice(0);
      for (const waiter of late) void this.enqueue(() => this.locked(waiter));
    }
  }

  /** Lets the writes that wait have their turn; called where an evolution pauses. */
  async catchUp(): Promise<void> {
    for (const waiter of this.waiting.splice(0)) await waiter();
  }

  /** Runs work that must not meet a write; it takes no lock itself. */
  whenQuiet(work: () => Promise<void>): Promise<void> {
    return this.enqueue(work);
  }

  async settled(): Promise<void> {
    await this.tail;
  }

  private refuseWhileEvolving(): void {
    if (!this.busy) return;
    throw new SelfIndexError(
      'evolution-locked',
      'This index is evolving. Wait for the end or stop it, then try again.',
    );
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work);
    this.tail = result.catch(() => undefined);
    return result;
  }

  private async locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = await this.tabs.acquireWriter();
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }
}

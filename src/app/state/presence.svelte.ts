/** A page that is not served securely has none; the engine then says what that means. */
const hasLocks = () => 'locks' in navigator;

/**
 * Which tab evolves, among the tabs of this page: the one that does holds a lock, the others wait for it in the shared
 * way. The engine's own lock keeps the index safe; this one is for telling people before they press a button.
 */
export class Presence {
  /** True while another tab evolves this index. */
  elsewhere = $state(false);
  readonly #lock: string;
  readonly #channel: BroadcastChannel;
  #watching = false;

  constructor(name: string) {
    this.#lock = `self-index/page/${name}/evolving`;
    this.#channel = new BroadcastChannel(this.#lock);
    this.#channel.onmessage = () => void this.#look();
    void this.#look();
  }

  /** Holds the lock while `work` runs; the work itself never waits for it. */
  async during(work: () => Promise<void>): Promise<void> {
    const done = work();
    if (!hasLocks()) return done;
    const told = navigator.locks.request(this.#lock, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      this.#channel.postMessage('started');
      await done.catch(() => undefined);
    });
    await done;
    await told;
  }

  async #look(): Promise<void> {
    if (this.#watching || !hasLocks()) return;
    const { held } = await navigator.locks.query();
    if (!held?.some(({ name, mode }) => name === this.#lock && mode === 'exclusive')) return;
    this.#watching = this.elsewhere = true;
    await navigator.locks.request(this.#lock, { mode: 'shared' }, () => undefined);
    this.#watching = this.elsewhere = false;
  }
}

import { hashOf, locationOf, type Location } from './address.ts';

/** Milliseconds after the last key until the address follows: browsers throttle pages that change it with every key. */
const addressPause = 250;

/** Where the person is, kept in the address's hash. */
export class Route {
  #later: ReturnType<typeof setTimeout> | undefined;
  current = $state.raw<Location>(locationOf(window.location.hash));

  constructor() {
    window.addEventListener('hashchange', () => {
      this.#forget();
      this.current = locationOf(window.location.hash);
    });
    // Whoever leaves comes back to what was typed last.
    window.addEventListener('click', () => this.#catchUp(), true);
    window.addEventListener('pagehide', () => this.#catchUp());
  }

  /** @param replace true where the back button should not stop here (typing) */
  go(change: Partial<Location>, replace = false): void {
    const next = { ...this.current, ...change };
    if (replace) {
      this.#forget();
      this.#later = setTimeout(() => this.#catchUp(), addressPause);
    } else {
      this.#catchUp();
      const hash = hashOf(next);
      if (hash !== window.location.hash) history.pushState(null, '', hash);
    }
    this.current = next;
  }

  #catchUp(): void {
    if (this.#later === undefined) return;
    this.#forget();
    history.replaceState(null, '', hashOf(this.current));
  }

  #forget(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
  }
}

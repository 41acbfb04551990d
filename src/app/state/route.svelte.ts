import { hashOf, locationOf, type Location } from './address.ts';

/** Where the person is, kept in the address's hash. */
export class Route {
  current = $state.raw<Location>(locationOf(window.location.hash));

  constructor() {
    window.addEventListener('hashchange', () => (this.current = locationOf(window.location.hash)));
  }

  /** @param replace true where the back button should not stop here (typing) */
  go(change: Partial<Location>, replace = false): void {
    const next = { ...this.current, ...change };
    const hash = hashOf(next);
    if (replace) history.replaceState(null, '', hash);
    else if (hash !== window.location.hash) history.pushState(null, '', hash);
    this.current = next;
  }
}

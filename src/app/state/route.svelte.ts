export const views = ['search', 'evolve', 'quality', 'versions', 'notebook'] as const;
export type View = (typeof views)[number];

export interface Location {
  readonly view: View;
  /** What is searched for. */
  readonly query: string;
  /** The document that is open, or empty. */
  readonly document: string;
  /** Which side of it. */
  readonly side: 'text' | 'keys';
}

const start: Location = { view: 'search', query: '', document: '', side: 'text' };

/** The address of a place in the page: links are shareable, the back button works, no server has to know. */
export function hashOf(location: Partial<Location>): string {
  const { view, query, document, side } = { ...start, ...location };
  const parameters = new URLSearchParams();
  if (query) parameters.set('q', query);
  if (document) parameters.set('doc', document);
  if (document && side === 'keys') parameters.set('side', side);
  const tail = parameters.toString();
  return `#/${view}${tail ? `?${tail}` : ''}`;
}

export function locationOf(hash: string): Location {
  const [path = '', tail = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parameters = new URLSearchParams(tail);
  return {
    view: views.find((view) => view === path) ?? 'search',
    query: parameters.get('q') ?? '',
    document: parameters.get('doc') ?? '',
    side: parameters.get('side') === 'keys' ? 'keys' : 'text',
  };
}

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

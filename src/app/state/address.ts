export const views = ['search', 'evolve', 'quality', 'versions', 'models', 'notebook'] as const;
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

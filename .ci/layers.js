/**
 * The layers of src/, lowest first (docs/architecture.md draws them). A folder may import from folders
 * on lower rows and from itself; `siblings` lists the few neighbours on one row that may see each other.
 */
export const layers = [
  ['base'],
  ['corpus'],
  ['keys', 'models'],
  ['kernel', 'embed'],
  ['retrieve', 'backbone'],
  ['roles', 'store'],
  ['evolve'],
  ['lab'],
  ['app', 'widget'],
];

/** Folders that code in `folder` must not import from. */
export function forbidden(folder) {
  const row = layers.findIndex((names) => names.includes(folder));
  return layers.flatMap((names, index) => (index < row ? [] : names.filter((name) => name !== folder)));
}

import type { KnownFile } from './types.ts';

/** A file that a person gave, with its path as far as it is known. */
export interface GivenModelFile {
  /** Below the folder that was given; the name alone where it was a file. */
  readonly path: string;
  readonly file: Blob;
}

const ofModels = /\.(json|onnx|onnx_data(_\d+)?|gguf|safetensors|bin|wasm|model|txt)$/;

/** Files of a model among all that a folder holds, by their path below it; what is hidden or said about it is left out. */
export function modelFilesIn(given: readonly GivenModelFile[]): GivenModelFile[] {
  const visible = given.filter(
    ({ path }) => ofModels.test(path) && !path.split('/').some((part) => part.startsWith('.')),
  );
  const top = commonFolder(visible.map(({ path }) => path));
  return visible
    .map(({ path, file }) => ({ path: path.slice(top.length), file }))
    .filter(({ path }) => path !== 'manifest.json');
}

/** The name of the folder that holds all of them, or of the one file without its ending; undefined where there is neither. */
export function nameOfGiven(given: readonly GivenModelFile[]): string | undefined {
  const inner = commonFolder(given.map(({ path }) => path))
    .split('/')
    .at(-2);
  if (inner !== undefined) return inner;
  return given.length === 1 ? given[0].path.replace(/\.[^.]*$/, '') : undefined;
}

/** Ends with a slash, or is empty. */
function commonFolder(paths: readonly string[]): string {
  const [first = '', ...rest] = paths;
  const parts = first.split('/').slice(0, -1);
  let top = '';
  for (const part of parts) {
    const next = `${top}${part}/`;
    // The folder of the weights belongs to the model, also where nothing else was given.
    if (part === 'onnx' || !rest.every((path) => path.startsWith(next))) break;
    top = next;
  }
  return top;
}

/** Of a model that the catalogue knows, its files alone, where all of them are there: nobody vouches for what lies beside them. */
export function filesOfCopy(
  files: readonly GivenModelFile[],
  known: readonly KnownFile[] | undefined,
): readonly GivenModelFile[] {
  const whole = known?.every(({ path }) => files.some((file) => file.path === path));
  return whole ? files.filter(({ path }) => knownOf(known, path)) : files;
}

/** What the catalogue knows of a file, if anything. */
export function knownOf(known: readonly KnownFile[] | undefined, path: string): KnownFile | undefined {
  return known?.find((file) => file.path === path);
}

import { SelfIndexError } from '../../base/errors.ts';
import type { GivenFile } from './gather.ts';

interface Manifest {
  readonly title: string;
  readonly judged: string;
  readonly suggestions: readonly string[];
  readonly notes: readonly { readonly path: string; readonly bytes: number }[];
}

export interface Samples {
  readonly files: readonly GivenFile[];
  /** Text of the file of judged searches. */
  readonly judged: string;
  /** Searches to try; none of them is judged. */
  readonly suggestions: readonly string[];
}

const folder = 'sample-notes/';
/** Requests at once: enough to hide latency, few enough for an old phone. */
const parallel = 8;

/** Fetches the notes that come with the page. */
export async function fetchSamples(
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Samples> {
  const manifest = (await (await get('index.json', signal)).json()) as Manifest;
  const files: GivenFile[] = [];
  for (let i = 0; i < manifest.notes.length; i += parallel) {
    const group = manifest.notes.slice(i, i + parallel);
    files.push(
      ...(await Promise.all(
        group.map(async ({ path }) => ({
          path,
          file: new File([await (await get(path, signal)).blob()], path),
        })),
      )),
    );
    onProgress(files.length, manifest.notes.length);
  }
  const judged = await (await get(manifest.judged, signal)).text();
  return { files, judged, suggestions: manifest.suggestions };
}

async function get(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`${folder}${path}`, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new SelfIndexError(
      'unreadable-file',
      'The sample notes could not be fetched. They come from where this page came from: connect once and try again.',
      { cause: error },
    );
  }
  if (!response.ok) {
    throw new SelfIndexError(
      'unreadable-file',
      `The sample note “${path}” is missing where this page is served (${response.status}).`,
    );
  }
  return response;
}

/** What a server says of a file's bytes. */
export interface Declared {
  readonly size?: number;
  readonly sha256?: string;
  /** Git's name of the file: SHA-1 of its size and bytes. */
  readonly gitSha1?: string;
}

/**
 * What an answer's headers declare: the hub names a large file's SHA-256 and size (`X-Linked-ETag`, `X-Linked-Size`), and a small
 * file's Git hash in its `ETag`. Other servers declare nothing.
 */
export function declarations(headers: Headers): Declared {
  const isHub = headers.has('x-repo-commit');
  const linked = unquoted(headers.get('x-linked-etag'));
  const own = isHub ? unquoted(headers.get('etag')) : undefined;
  const size = Number(headers.get('x-linked-size') ?? NaN);
  return {
    ...(linked && /^[0-9a-f]{64}$/.test(linked) && { sha256: linked }),
    ...(own && /^[0-9a-f]{40}$/.test(own) && { gitSha1: own }),
    ...(Number.isSafeInteger(size) && { size }),
  };
}

function unquoted(tag: string | null): string | undefined {
  return tag?.replace(/^W\//, '').replace(/^"|"$/g, '');
}

import { createReadStream, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connect } from 'vite';

export const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const types: Readonly<Record<string, string>> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
};

/** Serves `/<name>/<file>` from the first of these folders that has `<name>`: real 404s, sizes, and 304 for what has not changed. */
export function serveFiles(folders: readonly string[], what: string): Connect.NextHandleFunction {
  return (request: IncomingMessage, response: ServerResponse) => {
    const asked = request.method === 'GET' || request.method === 'HEAD';
    const file = asked ? find(folders, request.url ?? '') : undefined;
    if (!file) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end(`No such ${what}.\n`);
      return;
    }
    const tag = `"${file.stats.size}-${file.stats.mtimeMs}"`;
    const headers = {
      ETag: tag,
      'Cache-Control': 'no-cache',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
    if (request.headers['if-none-match'] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Length': file.stats.size,
      'Content-Type': types[file.path.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(file.path).pipe(response);
  };
}

function find(
  folders: readonly string[],
  url: string,
): { readonly path: string; readonly stats: Stats } | undefined {
  const name = url.replace(/[?#].*$/, '');
  const first = /^\/([\w-][\w.-]*)(?:\/[\w-][\w.-]*)+$/.exec(name)?.[1];
  if (first === undefined) return undefined;
  // All files of one thing from one folder: those of two copies need not fit together.
  const folder = folders.find((each) =>
    statSync(join(each, first), { throwIfNoEntry: false })?.isDirectory(),
  );
  const path = join(folder ?? folders[0], name);
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, stats } : undefined;
}

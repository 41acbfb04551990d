import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolation } from '../../../.ci/isolation.ts';

const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

export interface StaticServer {
  readonly url: string;
  /** Serves this text at the path from now on. */
  replace(path: string, text: string): void;
  close(): Promise<void>;
}

/** The built app on a port of its own, for a test that changes what is served. */
export async function serveDist(): Promise<StaticServer> {
  const replaced = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(dist, normalize(path === '/' ? '/index.html' : path));
    const text = replaced.get(path);
    const exists = file.startsWith(dist) && statSync(file, { throwIfNoEntry: false })?.isFile();
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(exists ? 200 : 404, {
      ...isolation,
      'Content-Type': type,
      'Cache-Control': 'no-cache',
    });
    if (text !== undefined) response.end(text);
    else if (exists) createReadStream(file).pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    replace: (path, content) => replaced.set(path, content),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

import { createReadStream, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { cp } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connect, Plugin, ResolvedConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Where model files are looked for, in this order: what `npm run models` fetched, and copies shared by checkouts. */
const folders = [here('../public/models'), here('../../shared/models')];

const types: Readonly<Record<string, string>> = {
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
};

/**
 * Serves `/models/<id>/<file>` in development, preview and tests: real 404s, sizes, and 304 for what has not changed.
 * Models are large and belong to who runs the page, so a build copies all of `public/` but them.
 */
export function serveModels(): Plugin {
  let config: ResolvedConfig;
  return {
    name: 'self-index:models',
    config: () => ({ build: { copyPublicDir: false } }),
    configResolved: (resolved) => {
      config = resolved;
    },
    configureServer: ({ middlewares }) => {
      middlewares.use('/models', answer);
    },
    configurePreviewServer: ({ middlewares }) => {
      middlewares.use('/models', answer);
    },
    async writeBundle({ dir }) {
      if (!dir || !config.publicDir || dir !== config.build.outDir) return;
      await cp(config.publicDir, dir, {
        recursive: true,
        filter: (path) => path !== join(config.publicDir, 'models') && basename(path) !== '.gitkeep',
      });
    },
  };
}

const answer: Connect.NextHandleFunction = (request: IncomingMessage, response: ServerResponse) => {
  const file = request.method === 'GET' || request.method === 'HEAD' ? find(request.url ?? '') : undefined;
  if (!file) {
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('No such model file.\n');
    return;
  }
  const tag = `"${file.stats.size}-${file.stats.mtimeMs}"`;
  const headers = { ETag: tag, 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'cross-origin' };
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

function find(url: string): { readonly path: string; readonly stats: Stats } | undefined {
  const name = url.replace(/[?#].*$/, '');
  const model = /^\/([\w-][\w.-]*)(?:\/[\w-][\w.-]*)+$/.exec(name)?.[1];
  if (model === undefined) return undefined;
  // All files of a model from one folder: those of two copies need not fit together.
  const folder = folders.find((each) =>
    statSync(join(each, model), { throwIfNoEntry: false })?.isDirectory(),
  );
  const path = join(folder ?? folders[0], name);
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? { path, stats } : undefined;
}

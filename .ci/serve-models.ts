import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin, ResolvedConfig } from 'vite';
import { here, serveFiles } from './serve-files.ts';

/** Where model files are looked for, in this order: what `npm run models` fetched, and copies shared by checkouts. */
const answer = serveFiles([here('../public/models'), here('../../shared/models')], 'model file');

/**
 * Serves `/models/<id>/<file>` in development, preview and tests. Models and test collections are large and belong to who runs
 * the page, so a build copies all of `public/` but them.
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
      const collections = join(config.publicDir, 'collections');
      await cp(config.publicDir, dir, {
        recursive: true,
        filter: (path) =>
          path !== join(config.publicDir, 'models') &&
          (dirname(path) !== collections || basename(path) === 'index.json') &&
          basename(path) !== '.gitkeep',
      });
    },
  };
}

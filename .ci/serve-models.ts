import { existsSync, readdirSync, statSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin, PreviewServer, ResolvedConfig, ViteDevServer } from 'vite';
import { here, serveFiles } from './serve-files.ts';

/** Where model files are looked for, in this order: what `npm run models` fetched, and copies shared by checkouts. */
const folders = [here('../public/models'), here('../../shared/models')];

/**
 * Serves `/models/<id>/<file>` in development, preview and tests, and a list of the models. Models and test collections are large and belong to who runs
 * the page, so a build copies all of `public/` but them.
 */
export function serveModels(): Plugin {
  let config: ResolvedConfig;
  const use = ({ middlewares }: ViteDevServer | PreviewServer) => {
    middlewares.use('/models/index.json', (_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Cache-Control', 'no-cache');
      response.end(JSON.stringify(installed()));
    });
    middlewares.use('/models', serveFiles(folders, 'model file'));
  };
  return {
    name: 'self-index:models',
    config: () => ({ build: { copyPublicDir: false } }),
    configResolved: (resolved) => {
      config = resolved;
    },
    configureServer: use,
    configurePreviewServer: use,
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
      // A host that serves models beside the build names them here.
      await mkdir(join(dir, 'models'), { recursive: true });
      await writeFile(join(dir, 'models/index.json'), '[]\n');
    },
  };
}

/** Folders that hold a model of transformers.js: one that writes has settings for generating, one that embeds has none. */
function installed(): {
  readonly id: string;
  readonly kind: 'generator' | 'embedder';
  readonly bytes: number;
}[] {
  const found = new Map<string, string>();
  for (const folder of folders.filter((each) => existsSync(each))) {
    for (const id of readdirSync(folder)) if (!found.has(id)) found.set(id, join(folder, id));
  }
  return [...found].sort().flatMap(([id, folder]) => {
    if (!existsSync(join(folder, 'onnx')) || !existsSync(join(folder, 'config.json'))) return [];
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const bytes = files.reduce((sum, file) => sum + sizeOf(join(folder, file)), 0);
    const kind = existsSync(join(folder, 'generation_config.json')) ? 'generator' : 'embedder';
    return [{ id, kind, bytes }] as const;
  });
}

function sizeOf(path: string): number {
  const stats = statSync(path);
  return stats.isFile() ? stats.size : 0;
}
